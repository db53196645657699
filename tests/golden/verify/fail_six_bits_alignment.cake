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
// alignment     unknown        1 of 2 vector accesses proved, for every shape that the guard admits
// overflow      not applicable there are no index operations
// races         explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// deadlock      explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// hardware      unknown        sm_100a: never run on hardware
