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
      if k < 0 { wait tiles@k }
    }
  }
}
//--- expected
// advice[CK3117]: no role releases ring `tiles`: each of its slots is used once
//   --> fail_copy_ring_load_unawaited.cake:8:8
//    8 |   ring tiles[2] { tile: f32[16, 32] swizzle 128 } from load to store
//      |        ^^^^^
//   why: a slot can be acquired again when the roles behind `to` have released it
//
// error[CK2060]: nothing can move: role load waits for `tiles@0` to be released for use 2, which has 0 of 1 arrivals
//   --> fail_copy_ring_load_unawaited.cake:11:7
//   11 |       acquire tiles@k
//      |       ^^^^^^^^^^^^^^^
//   at: role load, cta 0, warp 0, iteration 2, M=1
//   waits: role load on tiles@0 (released): 0 of 1 arrived, missing nobody else arrives at it
//   why: an mbarrier completes a generation when all its arrivals are in, and nobody is left to bring them
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// global races  bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// deadlock      refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run; shown wrong at M=1
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
