// mode: gates
program p target sm_90a
out y: f32[64]
kernel k {
  grid (1)
  smem t: f32[64]
  event e[1] count 1
  role a: warps 1 {
    st t[lane] <- 1.0
    expect e@0 bytes 128
  }
  role b: warps 1 {
    wait e@0
    st y[lane] <- ld t[31 - lane]
  }
}
//--- expected
// error[CK2062]: `e@0` has all its arrivals, but 0 of 128 expected bytes
//   --> fail_bytes_never_come.cake:13:5
//   13 |     wait e@0
//      |     ^^^^^^^^
//   10 |     expect e@0 bytes 128
//      |     -------------------- an arrival of this generation
//   at: role b, cta 0, warp 0
//   waits: role b on e@0: 1 of 1 arrived, missing 0 of 128 expected bytes are in
//   why: a generation is complete when as many bytes have arrived as its arrivals expect
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
