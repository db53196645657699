// mode: gates
program p target sm_100a
dim K in 1..=64
in x: e2m3x4[128, 32*K]
kernel k {
  grid (1)
  smem a: e2m3[128, 128] swizzle 128
  event full[1] count 1
  role main: warps 1 {
    tma.load a <- x[:, 0:+32] on full@0
    expect full@0
    wait full@0
  }
}
//--- expected
// error[CK2457]: the tensor map of `x`, whose numbers are padded, needs `align(x) % 32 == 0`
//   --> fail_six_bits_alignment.cake:10:19
//   10 |     tma.load a <- x[:, 0:+32] on full@0
//      |                   ^^^^^^^^^^^
//    4 | in x: e2m3x4[128, 32*K]
//      |    - declared here
//   why: CUDA driver API, cuTensorMapEncodeTiled: of types of 6 and 4 bits that are padded to 16 bytes the memory begins at a multiple of 32 bytes, so do rows, and a row has a multiple of 128 numbers
//   fix (machine): require it: `where align(x) % 32 == 0`
//     5:1: insert `where align(x) % 32 == 0\n`
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     unknown        1 of 2 vector accesses proved, for every shape that the guard admits; unknown blocks
// overflow      not applicable there are no index operations
// races         explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// deadlock      explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
