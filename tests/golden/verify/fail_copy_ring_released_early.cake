// mode: gates
program p target sm_90
dim M in 1..=40
in x: f32[M, 148] stride (152, 1)
out y: f32[M, 148] stride (152, 1)
kernel copy {
  grid (ceildiv(M, 16))
  ring tiles[2] { tile: f32[16, 32] swizzle 128 } from load to store
  role load: warps 1 {
    for k in 0..5 {
      acquire tiles@k
      tma.load tiles.tile@k <- x[cta*16:+16, k*32:+32]
      commit tiles@k
    }
  }
  role store: warps 1 {
    for k in 0..5 {
      wait tiles@k
      once { tma.store y[cta*16:+16, k*32:+32] <- tiles.tile@k; tma.commit }
      release tiles@k
    }
    once { tma.wait.read 0 }
  }
}
//--- expected
// error[CK2101]: `tma.load` overwrites `tiles.tile` while the `tma.store` may still read it
//   --> fail_copy_ring_released_early.cake:12:16
//   12 |       tma.load tiles.tile@k <- x[cta*16:+16, k*32:+32]
//      |                ^^^^^^^^^^^^
//   19 |       once { tma.store y[cta*16:+16, k*32:+32] <- tiles.tile@k; tma.commit }
//      |              ------------------------------------------------- issued here by role store, warp 0
//   at: role load, cta 0, warp 0, lane 0, iteration 2, bytes 0..4, M=1
//   why: the copy runs beside the threads; its source may be reused when it is known to be read
//   fix (manual): `tma.commit` and `tma.wait.read 0` by the threads that copy, then a barrier that both sides reach
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     proved         4 of 4 vector accesses proved, for every shape that the guard admits
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run; shown wrong at M=1
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
