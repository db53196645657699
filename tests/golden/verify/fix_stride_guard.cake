// mode: gates-fix
program p target sm_80
dim M in 1..=100, N in 1..=64, K in 1..=8
out y: f32[M, N, K] stride (sa, sb, 1)
kernel k {
  grid (M, N)
  role main: warps 1 { if lane < K { st y[cta.x, cta.y, lane] <- 1.0 } }
}
//--- expected
// // mode: gates-fix
// program p target sm_80
// dim M in 1..=100, N in 1..=64, K in 1..=8
// out y: f32[M, N, K] stride (sa, sb, 1)
// where sb >= K, sa >= sb*N
// kernel k {
//   grid (M, N)
//   role main: warps 1 { if lane < K { st y[cta.x, cta.y, lane] <- 1.0 } }
// }
// bounds        proved         1 of 1 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       11 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       11 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
