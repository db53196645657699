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
        let column = select(whole, t % N, (t - pairs)*2 + cluster.rank)
        if row < rows && column < N { elect { st y[r0 + row, column] <- (ld x[r0 + row, column]) * 2.0 } }
      }
    }
  }
}
//--- expected
// bounds        proved         8 of 8 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         18 of 18 index operations proved, for every shape that the guard admits
// races         explored       16 shapes run on the machine, all CTAs, one schedule; 14 of 14 boundary values of dims and args shown; the loop in line 12 not closed: a loop inside whose trips are no constant
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5, P7 checked in each run; P6 assumed)
// definedness   explored       16 shapes run on the machine, all CTAs, one schedule; 14 of 14 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: off in 0..=T; contents: steps(off) in 0..=T; contents: off[0] == 0; contents: off[E] == T; SMS is in 2..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
