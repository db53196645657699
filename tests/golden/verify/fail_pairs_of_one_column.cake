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
        let row = select(whole, t / N * 2 + cluster.rank, rows - 1)
        let column = select(whole, t % N, (t - pairs)*2)
        if row < rows && column < N { elect { st y[r0 + row, column] <- (ld x[r0 + row, column]) * 2.0 } }
      }
    }
  }
}
//--- expected
// error[CK2427]: `st` of `y` by CTA 1 is not ordered after the `st` by CTA 0 of the same cluster
//   --> fail_pairs_of_one_column.cake:20:50
//   20 |         if row < rows && column < N { elect { st y[r0 + row, column] <- (ld x[r0 + row, column]) * 2.0 } }
//      |                                                  ^^^^^^^^^^^^^^^^^^^
//   20 |         if row < rows && column < N { elect { st y[r0 + row, column] <- (ld x[r0 + row, column]) * 2.0 } }
//      |                                               -------------------------------------------------------- written here by role main, warp 0, CTA 0
//   at: role main, cta 1, warp 0, lane 0, iteration 0, bytes 0..4, T=1, E=1, N=2, SMS=2
//   why: the CTAs of a cluster run at their own pace; their barrier, or an arrival `at` the other one that it waits for, orders their accesses
//   fix (manual): `cluster.sync` between the two in every role of every CTA, or `arrive E@k at r` behind the first access and `wait.cluster E@k` before the second, r being the CTA that waits
// bounds        proved         8 of 8 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         17 of 17 index operations proved, for every shape that the guard admits
// races         refuted        6 shapes run on the machine, all CTAs, one schedule; 12 of 14 boundary values of dims and args shown; 3 not run; shown wrong at T=1, E=1, N=2, SMS=2
// global races  unknown        6 shapes run on the machine, all CTAs, one schedule; 12 of 14 boundary values of dims and args shown; 3 not run (`y` not proven); unknown blocks
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        6 shapes run on the machine, all CTAs, one schedule; 12 of 14 boundary values of dims and args shown; 3 not run
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: off in 0..=T; contents: steps(off) in 0..=T; contents: off[0] == 0; contents: off[E] == T; SMS is in 2..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
