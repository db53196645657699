// mode: gates
program p target sm_80
dim T in 1..=1048576, E in 1..=512, K in 1..=2047
in x: f32[1024], off: i32[E+1]
out y: f32[SMS, 32]
where off in 0..=T, steps(off) in 0..=T, off[0] == 0, off[E] == T
kernel k {
  grid (SMS)
  role main: warps 1 {
    var it = 0  // at most T*K: the groups share T rows
    var sum: f32 = 0.0
    for e in 0..E {
      let rows = ld off[e + 1] - ld off[e]
      for t in cta..rows step ctas {
        for k in 0..K {
          sum += ld x[it % 1024]
          it += 1
        }
      }
    }
    st y[cta, lane] <- sum
  }
}
//--- expected
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         explored       9 shapes run on the machine, all CTAs, one schedule; 14 of 14 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       9 shapes run on the machine, all CTAs, one schedule; 14 of 14 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: off in 0..=T; contents: steps(off) in 0..=T; contents: off[0] == 0; contents: off[E] == T; SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
