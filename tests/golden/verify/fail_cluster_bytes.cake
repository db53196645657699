// mode: gates
program stasync target sm_90
in x: f32[256]
out y: f32[256]
kernel run {
  cluster 2
  grid (2)
  smem row: f32[128]
  event full[1] count 1
  role main: warps 1 {
    expect full@0 bytes 1024
    st.async row[4*lane:+4] at 1 - cluster.rank <- ld x[cta*128 + 4*lane:+4] on full@0
    wait full@0
    for i in 0..4 { st y[cta*128 + 32*i + lane] <- ld row[127 - 32*i - lane] }
  }
}
//--- expected
// error[CK2062]: `full@0 at 0` has all its arrivals, but 512 of 1024 expected bytes
//   --> fail_cluster_bytes.cake:13:5
//   13 |     wait full@0
//      |     ^^^^^^^^^^^
//   11 |     expect full@0 bytes 1024
//      |     ------------------------ an arrival of this generation
//   at: role main, cta 0, warp 0
//   waits: role main of rank 0 on full@0 at 0: 1 of 1 arrived, missing 512 of 1024 expected bytes are in
//   waits: role main of rank 1 on full@0 at 1: 1 of 1 arrived, missing 512 of 1024 expected bytes are in
//   why: a generation is complete when as many bytes have arrived as its arrivals expect
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         12 of 12 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
