// mode: gates
program p target sm_80
dim T in 1..=4096, E in 1..=16
in x: f32[T, 128], off: i32[E+1]
out y: f32[T, 128]
where off in 0..=T, steps(off) in 0..=T, off[0] == 0, off[E] == T
kernel k {
  grid (SMS)
  role main: warps 4 {
    var base = 0
    for e in 0..E {
      let r0 = ld off[e]
      let rows = ld off[e + 1] - r0
      let tiles = ceildiv(rows, 8)
      for t in (cta + ctas - base % ctas) % ctas..tiles step ctas {
        base += 1
        for i in 0..8 {
          if t*8 + i < rows { st y[r0 + t*8 + i, thread] <- (ld x[r0 + t*8 + i, thread]) * 2.0 }
        }
      }
    }
  }
}
//--- expected
// error[CK2530]: two CTAs are not known to touch different elements of `y`
//   --> fail_groups_counted_when_taken.cake:18:34
//   18 |           if t*8 + i < rows { st y[r0 + t*8 + i, thread] <- (ld x[r0 + t*8 + i, thread]) * 2.0 }
//      |                                  ^^^^^^^^^^^^^^^^^^^^^^^
//   why: nothing orders the CTAs of a launch: where two of them touch one element and one writes it, the result is either's; the shapes that ran do not show it, larger ones may
//   fix (manual): let each CTA touch elements of its own: an index that grows with `cta` by at least what the CTA touches; of numbers that come from memory say `distinct(..)` in `where`; sum up with `red.add`; or part the two accesses by `grid.sync` or into two kernels
// bounds        proved         7 of 7 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         16 of 16 index operations proved, for every shape that the guard admits
// races         explored       8 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown; the loop in line 11 not closed: a loop inside whose trips are no constant
// global races  unknown        8 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown (`y` not proven); unknown blocks
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       8 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: off in 0..=T; contents: steps(off) in 0..=T; contents: off[0] == 0; contents: off[E] == T; SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
