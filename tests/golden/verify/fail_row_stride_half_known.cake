// mode: gates
// Half of what a tensor map needs of a row is known: the message asks for the whole.
program rows target sm_90
dim M in 1..=4096, N in 1..=4096
in x: f32[M, N]
out y: f32[M, N]
where N % 2 == 0
kernel run {
  grid (ceildiv(N, 32), ceildiv(M, 32))
  smem s: f32[32, 32]
  event full[1] count 1
  role main: warps 4 {
    if warp == 0 {
      tma.load s <- x[cta.y*32:+32, cta.x*32:+32] on full@0
      expect full@0
    }
    wait full@0
    for r in warp..32 step 4 {
      let m = cta.y*32 + r
      let n = cta.x*32 + lane
      if m < M && n < N { st y[m, n] <- ld s[r, lane] }
    }
  }
}
//--- expected
// error[CK2520]: the tensor map of `x` needs `N % 4 == 0`
//   --> fail_row_stride_half_known.cake:14:21
//   14 |       tma.load s <- x[cta.y*32:+32, cta.x*32:+32] on full@0
//      |                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//    5 | in x: f32[M, N]
//      |    - declared here
//   why: CUDA driver API, cuTensorMapEncodeTiled: strides are multiples of 16 bytes
//   fix (machine): require it: `where N % 4 == 0`
//     8:1: insert `where N % 4 == 0\n`
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     unknown        1 of 2 vector accesses proved, for every shape that the guard admits; unknown blocks
// overflow      proved         6 of 6 index operations proved, for every shape that the guard admits
// races         explored       12 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown; the loop in line 18 not closed: a condition that is no threshold and no remainder
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       12 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown; the loop in line 18 not closed: a condition that is no threshold and no remainder
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   explored       12 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
