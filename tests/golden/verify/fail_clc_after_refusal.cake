// mode: gates
program p target sm_100
dim N in 1..=64
in x: f32[N, 32]
out y: f32[N, 32]
kernel k {
  grid (N)
  smem answer[2]: u64[2]
  event told[2] count 1
  role main: warps 1 {
    var t = cta
    for k in 0..4 {
      clc.try_cancel answer@k on told@k
      expect told@k
      if t >= 0 && t < N { st y[t, lane] <- 2.0 * (ld x[t, lane]) }
      wait told@k
      let a = ld answer@k[0:+2]
      t = clc.cta(a[0], a[1])
    }
  }
}
//--- expected
// error[CK2454]: `clc.try_cancel` by a CTA that has seen a request of its own refused
//   --> fail_clc_after_refusal.cake:13:7
//   13 |       clc.try_cancel answer@k on told@k
//      |       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   at: role main, cta 0, warp 0, iteration 1, N=1
//   why: PTX ISA, clusterlaunchcontrol.try_cancel: a request after the completion of a failed one has been observed is undefined
//   fix (manual): leave the loop where `clc.cta` gives -1
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      not applicable there are no index operations
// races         refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at N=1
// global races  bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; threads learn from each other: one order of many ran (`y` not proven)
// deadlock      bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; threads learn from each other: one order of many ran
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; threads learn from each other: one order of many ran
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
