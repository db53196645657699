// mode: gates
program cov target sm_80
dim N in 1..=100000
in x: f32[N]
out y: f32[N]
kernel run {
  grid (ceildiv(N, 128))
  smem s: f32[128]
  role main: warps 4 {
    let i = cta*128 + thread
    st s[thread] <- ld x[i] else 0.0
    var f: f32 = 0.0
    while f < cvt.f32(N)*400.0 { f += 1.0 }
    sync cta
    if i < N { st y[i] <- ld s[127 - thread] }
  }
}
//--- expected
// advice[CK2594]: no run shows that this loop ends at every size: it ends by the float `f`, which it sets
//   --> hidden_loop_in_floats.cake:13:11
//   13 |     while f < cvt.f32(N)*400.0 { f += 1.0 }
//      |           ^^^^^^^^^^^^^^^^^^^^
//   why: a sum of floats stops growing where what is added is less than half of its last place; the machine runs small shapes
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         3 of 3 index operations proved, for every shape that the guard admits
// races         bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
