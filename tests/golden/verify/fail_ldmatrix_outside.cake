// mode: gates
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 64]
  role main: warps 1 {
    var fa: mma.a bf16[16, 16]
    var fb: mma.b bf16[16, 8]
    var acc: mma f32[16, 8]
    fb = 1.0
    for c in 0..8 { st s[lane/2, lane%2*32 + c*4:+4] <- 1.0 }
    sync warp
    for x in 0..4 { ldmatrix fa <- s[:, x*16 + 16:+16] }
    mma acc = fa * fb
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// error[CK2004]: `s[:, x*16 + 16:+16]` in shared memory: elements 64..80 of dimension 1 are outside 0..64
//   --> fail_ldmatrix_outside.cake:14:36
//   14 |     for x in 0..4 { ldmatrix fa <- s[:, x*16 + 16:+16] }
//      |                                    ^^^^^^^^^^^^^^^^^^^
//   at: role main, cta 0, warp 0, lane 0, iteration 3
//   why: the bytes beyond a shared buffer belong to its neighbour
//   fix (maybe): load only where `x*16 + 16 + 16 <= 64`
//     14:21: insert `if x*16 + 16 + 16 <= 64 { `
//     14:55: insert ` }`
// bounds        refuted        4 of 5 accesses and indices proved, for every shape that the guard admits; shown wrong at the only shape
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         7 of 7 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
