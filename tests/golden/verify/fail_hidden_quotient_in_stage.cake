// mode: gates
program ds target sm_80
dim K in 1..=4096
in a: f32[128, K]
out c: f32[128, K]
kernel run {
  grid (1)
  smem s[2]: f32[128]
  role main: warps 4 {
    for k in 0..K {
      st s@(k + k/7)[thread] <- ld a[thread, k]
      sync cta
      st c[thread, k] <- ld s@(k + k/7)[127 - thread]
    }
  }
}
//--- expected
// error[CK2020]: `st` of `s` by warp 1 is not ordered after the `ld` by warp 2
//   --> fail_hidden_quotient_in_stage.cake:11:10
//   11 |       st s@(k + k/7)[thread] <- ld a[thread, k]
//      |          ^^^^^^^^^^^^^^^^^^^
//   13 |       st c[thread, k] <- ld s@(k + k/7)[127 - thread]
//      |       ----------------------------------------------- read here by role main, warp 2
//   at: role main, cta 0, warp 1, lane 31, bytes 252..256, K=15
//   why: warps run at their own pace; only a barrier that both reach in between orders their accesses
//   fix (maybe): insert `sync cta` before this statement
//     11:7: insert `sync cta\n      `
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         5 of 5 index operations proved, for every shape that the guard admits
// races         refuted        11 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at K=15
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`c` disjoint)
// deadlock      explored       11 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       11 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
