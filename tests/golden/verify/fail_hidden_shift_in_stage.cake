// mode: gates
program kk target sm_80
dim K in 1..=100000
in x: f32[32*K]
out y: f32[32*K]
kernel run {
  grid (1)
  smem s[4]: f32[32]
  event full[4] count 1
  event free[4] count 1
  role a: warps 1 {
    for k in 0..K {
      wait free@(k-4)
      st s@(k ^ (k >> 7 & 1))[lane] <- ld x[32*k + lane]
      arrive full@k
    }
  }
  role b: warps 1 {
    for k in 0..K {
      wait full@k
      st y[32*k + lane] <- ld s@(k ^ (k >> 7 & 1))[31 - lane]
      arrive free@k
    }
  }
}
//--- expected
// error[CK2020]: `st` of `s` by warp 0 is not ordered after the `ld` by warp 0
//   --> fail_hidden_shift_in_stage.cake:14:10
//   14 |       st s@(k ^ (k >> 7 & 1))[lane] <- ld x[32*k + lane]
//      |          ^^^^^^^^^^^^^^^^^^^^^^^^^^
//   21 |       st y[32*k + lane] <- ld s@(k ^ (k >> 7 & 1))[31 - lane]
//      |       ------------------------------------------------------- read here by role b, warp 0
//   22 |       arrive free@k
//      |       ------------- role b hands over here, but role a does not wait for that before its access
//   at: role a, cta 0, warp 0, lane 0, iteration 128, bytes 128..132, K=140
//   why: warps run at their own pace; only a barrier that both reach in between orders their accesses
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         6 of 6 index operations proved, for every shape that the guard admits
// races         refuted        17 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at K=140
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       17 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       17 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
