// mode: check
program p target sm_100a
in x: e2m3x4[128, 32]
kernel k {
  grid (1)
  smem a: e2m3[128, 128]
  event full[1] count 1
  role main: warps 1 {
    tma.load a <- x on full@0
    expect full@0
    wait full@0
  }
}
//--- expected
// error[CK1219]: `a` is not `swizzle 128`, which numbers of 6 and 4 bits are padded into
//   --> fail_six_bits_rows.cake:9:14
//    9 |     tma.load a <- x on full@0
//      |              ^
//    6 |   smem a: e2m3[128, 128]
//      |        - declared here
//   why: CUDA driver API, cuTensorMapEncodeTiled: a box of these types is 128 numbers wide, padded to 128 bytes, and products read it swizzled
//   fix (manual): declare it `swizzle 128`
