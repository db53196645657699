// mode: gates
program p target sm_90
in x: f32[4]
out y: f32[4]
// Each of the four CTAs gets four bytes from every CTA, and expects those of three.
kernel run {
  cluster 4
  grid (4)
  smem part: f32[4]
  event all[1] count 1
  role main: warps 1 {
    expect all@0 bytes 12
    if lane < 4 { st.async part[cluster.rank] at lane <- ld x[cta] on all@0 }
    wait.cluster all@0
    if lane == 0 { st y[cta] <- (ld part[0]) + (ld part[1]) + (ld part[2]) + (ld part[3]) }
  }
}
//--- expected
// error[CK2067]: 16 bytes complete on `all@0 at 0`, its arrivals expect 12
//   --> fail_cluster_store_async_bytes.cake:13:19
//   13 |     if lane < 4 { st.async part[cluster.rank] at lane <- ld x[cta] on all@0 }
//      |                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   12 |     expect all@0 bytes 12
//      |     --------------------- with this arrival the generation was complete
//   at: role main, cta 3, warp 0
//   why: the byte count passes zero before the last load is in: the generation completes too early
//   fix (manual): put `expect` behind the loads that it counts, or say the bytes of all: `expect E@k bytes n`
//
// error[CK2010]: `part[3]` reads bytes that nothing has written, and the value is used
//   --> fail_cluster_store_async_bytes.cake:15:82
//   15 |     if lane == 0 { st y[cta] <- (ld part[0]) + (ld part[1]) + (ld part[2]) + (ld part[3]) }
//      |                                                                                  ^^^^^^^
//   15 |     if lane == 0 { st y[cta] <- (ld part[0]) + (ld part[1]) + (ld part[2]) + (ld part[3]) }
//      |                    ---------------------------------------------------------------------- the value is stored to global memory here
//   at: role main, cta 2, warp 0, lane 0
//   why: unwritten memory holds whatever the last user of these bytes left there
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
