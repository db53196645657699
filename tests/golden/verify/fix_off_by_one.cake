// mode: gates-fix
program p target sm_80
dim N in 1..=1000000
out c: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let i = cta*128 + thread
    if i <= N { st c[i] <- 1.0 }
  }
}
//--- expected
// // mode: gates-fix
// program p target sm_80
// dim N in 1..=1000000
// out c: f32[N]
// kernel k {
//   grid (ceildiv(N, 128))
//   role main: warps 4 {
//     let i = cta*128 + thread
//     if i <= N { if i < N { st c[i] <- 1.0 } }
//   }
// }
// bounds        proved         1 of 1 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`c` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
