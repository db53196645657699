// mode: gates
program p target sm_80
in x: f32[64, 64]
out y: f32[64, 64]
kernel k {
  grid (64)
  smem keep: f32[64]
  either { smem row: f32[64]; smem sum: f32[2] } or { smem late: u32[128] }
  role main: warps 2 {
    st row[thread] <- ld x[cta, thread]
    st keep[thread] <- 0.0
    sync cta
    let v = ld row[63 - thread]
    sync cta
    st late[thread] <- bitcast.u32(v)
    sync cta
    st y[cta, thread] <- bitcast.f32(ld late[63 - thread]) + ld keep[thread]
  }
}
//--- expected
// bounds        proved         8 of 8 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
