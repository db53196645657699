// mode: gates-fix
program p target sm_80
dim N in 1..=300
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 64))
  smem tile[2]: f32[64]
  role main: warps 2 {
    let i = cta*64 + thread
    cp.async tile@0[thread] <- x[i] else 0.0
    if i < N { st y[i] <- ld tile@0[thread] }
  }
}
//--- expected
// // mode: gates-fix
// program p target sm_80
// dim N in 1..=300
// in x: f32[N]
// out y: f32[N]
// kernel k {
//   grid (ceildiv(N, 64))
//   smem tile[2]: f32[64]
//   role main: warps 2 {
//     let i = cta*64 + thread
//     cp.async tile@0[thread] <- x[i] else 0.0
//     if i < N { cp.async.commit; cp.async.wait 0; st y[i] <- ld tile@0[thread] }
//   }
// }
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
