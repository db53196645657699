// mode: gates
program va target sm_80
dim N in 0..=1073741824
in a: f32[N]
out c: f32[N]
kernel run {
  grid (ceildiv(N, 128))
  smem s: f32[128]
  role main: warps 4 {
    let i = cta*128 + thread
    st s[max(127 - thread - max(cta - 4, 0), 0)] <- ld a[i] else 0.0
    sync cta
    if i < N { st c[i] <- ld s[thread] }
  }
}
//--- expected
// error[CK2021]: `st` of `s` by lane 31 is not ordered after the `st` by lane 30 of the same warp
//   --> fail_hidden_max_in_index.cake:11:8
//   11 |     st s[max(127 - thread - max(cta - 4, 0), 0)] <- ld a[i] else 0.0
//      |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   11 |     st s[max(127 - thread - max(cta - 4, 0), 0)] <- ld a[i] else 0.0
//      |     ---------------------------------------------------------------- written here by role main, warp 3
//   at: role main, cta 5, warp 3, lane 31, bytes 0..4, N=641
//   why: lanes of a warp do not run in lockstep; `sync warp` or a wider barrier orders their accesses
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         5 of 5 index operations proved, for every shape that the guard admits
// races         refuted        22 shapes run on the machine, all CTAs, one schedule; 7 of 7 boundary values of dims and args shown; shown wrong at N=641
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`c` disjoint)
// deadlock      explored       22 shapes run on the machine, all CTAs, one schedule; 7 of 7 boundary values of dims and args shown
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       22 shapes run on the machine, all CTAs, one schedule; 7 of 7 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
