// mode: gates
program rows target sm_80
dim N in 1..=4096
in x: f32[N, 128], skip: i32[N]
out y: f32[N, 128]
kernel k {
  grid (1)
  smem s: f32[128]
  role m: warps 4 {
    for t in 0..N {
      st s[thread] <- ld x[t, thread]
      sync role
      st y[t, thread] <- ld s[127 - thread]
      if ld skip[t] != 123456789 { sync role }
    }
  }
}
//--- expected
// error[CK2020]: `st` of `s` by warp 3 is not ordered after the `ld` by warp 0
//   --> fail_sync_left_out_by_data.cake:11:10
//   11 |       st s[thread] <- ld x[t, thread]
//      |          ^^^^^^^^^
//   13 |       st y[t, thread] <- ld s[127 - thread]
//      |       ------------------------------------- read here by role m, warp 0
//   at: role m, cta 0, warp 3, lane 31, bytes 508..512, N=2
//   why: warps run at their own pace; only a barrier that both reach in between orders their accesses
//   fix (maybe): insert `sync cta` before this statement
//     11:7: insert `sync cta\n      `
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         refuted        5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at N=2
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
