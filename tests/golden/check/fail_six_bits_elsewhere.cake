// mode: check
program p target sm_100a
in x: e2m3[128, 128]
kernel k {
  grid (1)
  smem a: e3m2x4[128, 32] swizzle 128
  role main: warps 1 { }
}
//--- expected
// error[CK1217]: e2m3 does not lie in global memory; global memory has e2m3x4
//   --> fail_six_bits_elsewhere.cake:3:7
//    3 | in x: e2m3[128, 128]
//      |       ^^^^
//   why: PTX ISA, packing of sub-byte types: numbers of 6 and 4 bits are packed in global memory, and `tma.load` pads 16 of them to 16 bytes of shared memory, which `tmem.cp` spreads to a byte each in tensor memory
//
// error[CK1217]: e3m2x4 does not lie in shared memory; shared memory has e3m2
//   --> fail_six_bits_elsewhere.cake:6:11
//    6 |   smem a: e3m2x4[128, 32] swizzle 128
//      |           ^^^^^^
//   why: PTX ISA, packing of sub-byte types: numbers of 6 and 4 bits are packed in global memory, and `tma.load` pads 16 of them to 16 bytes of shared memory, which `tmem.cp` spreads to a byte each in tensor memory
