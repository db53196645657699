// mode: gates
program p target sm_90
dim T in 1..=4096, E in 1..=16, N in 2..=512
in x: f32[T, N], off: i32[E+1]
out y: f32[T, N]
where N % 2 == 0, off in 0..=T, steps(off) in 0..=T, off[0] == 0, off[E] == T
kernel k {
  cluster 2
  grid (SMS)
  role main: warps 1 {
    // A cluster has a pair of rows and one column, or the odd last row and a pair of columns.
    for e in 0..E {
      let r0 = ld off[e]
      let rows = ld off[e + 1] - r0
      let pairs = rows/2*N
      for t in cluster.id..pairs + rows % 2 * (N/2) step clusters {
        let whole = t < pairs
        let row = select(whole, t / N * 2 + cluster.rank, rows - 2)
        let column = select(whole, t % N, (t - pairs)*2 + cluster.rank)
        if row < rows && column < N { elect { st y[r0 + row, column] <- (ld x[r0 + row, column]) * 2.0 } }
      }
    }
  }
}
//--- expected
// error[CK2001]: `y[r0 + row, column]`: index -1 of dimension 0 is outside 0..1
//   --> fail_pairs_meet_the_odd_row.cake:20:50
//   20 |         if row < rows && column < N { elect { st y[r0 + row, column] <- (ld x[r0 + row, column]) * 2.0 } }
//      |                                                  ^^^^^^^^^^^^^^^^^^^
//   at: role main, cta 0, warp 0, lane 0, iteration 0, T=1, E=1, N=2, SMS=2
//   why: every access must be in bounds for every lane that executes it; `ld` may say `else` instead
//
// error[CK2530]: two CTAs are not known to touch different elements of `y`
//   --> fail_pairs_meet_the_odd_row.cake:20:50
//   20 |         if row < rows && column < N { elect { st y[r0 + row, column] <- (ld x[r0 + row, column]) * 2.0 } }
//      |                                                  ^^^^^^^^^^^^^^^^^^^
//   why: nothing orders the CTAs of a launch: where two of them touch one element and one writes it, the result is either's; the shapes that ran do not show it, larger ones may
//   fix (manual): let each CTA touch elements of its own: an index that grows with `cta` by at least what the CTA touches; of numbers that come from memory say `distinct(..)` in `where`; sum up with `red.add`; or part the two accesses by `grid.sync` or into two kernels
//
// error[CK2001]: `x[r0 + row, column]`: index -1 of dimension 0 is outside 0..1
//   --> fail_pairs_meet_the_odd_row.cake:20:77
//   20 |         if row < rows && column < N { elect { st y[r0 + row, column] <- (ld x[r0 + row, column]) * 2.0 } }
//      |                                                                             ^^^^^^^^^^^^^^^^^^^
//   at: role main, cta 0, warp 0, lane 0, iteration 0, T=1, E=1, N=2, SMS=2
//   why: every access must be in bounds for every lane that executes it; `ld` may say `else` instead
//   fix (manual): load 0 where the access is out of bounds
// bounds        refuted        6 of 8 accesses and indices proved, for every shape that the guard admits; shown wrong at T=1, E=1, N=2, SMS=2
// alignment     not applicable there are no vector accesses
// overflow      proved         18 of 18 index operations proved, for every shape that the guard admits
// races         bounded        6 shapes run on the machine, all CTAs, one schedule; 12 of 14 boundary values of dims and args shown; 3 not run
// global races  unknown        6 shapes run on the machine, all CTAs, one schedule; 12 of 14 boundary values of dims and args shown; 3 not run (`y` not proven); unknown blocks
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        6 shapes run on the machine, all CTAs, one schedule; 12 of 14 boundary values of dims and args shown; 3 not run
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: off in 0..=T; contents: steps(off) in 0..=T; contents: off[0] == 0; contents: off[E] == T; SMS is in 2..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
