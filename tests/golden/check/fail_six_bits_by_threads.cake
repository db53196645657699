// mode: check
program p target sm_100a
in x: e2m3x4[128, 32]
kernel k {
  grid (1)
  smem a: e2m3[128, 128] swizzle 128
  role main: warps 1 {
    let u = ld x[lane, 0]
    st a[lane, 0] <- 0
    var e: e2m3 = 0.0
  }
}
//--- expected
// error[CK1218]: `x` holds e2m3x4, which threads neither load nor store
//   --> fail_six_bits_by_threads.cake:8:16
//    8 |     let u = ld x[lane, 0]
//      |                ^^^^^^^^^^
//   why: numbers of 6 and 4 bits begin inside of bytes: `tma.load` brings them to shared memory, and `umma` reads them there
//
// error[CK1218]: `a` holds e2m3, which threads neither load nor store
//   --> fail_six_bits_by_threads.cake:9:8
//    9 |     st a[lane, 0] <- 0
//      |        ^^^^^^^^^^
//   why: numbers of 6 and 4 bits begin inside of bytes: `tma.load` brings them to shared memory, and `umma` reads them there
//
// error[CK1217]: e2m3 does not lie in registers; global memory has e2m3x4
//   --> fail_six_bits_by_threads.cake:10:12
//   10 |     var e: e2m3 = 0.0
//      |            ^^^^
//   why: PTX ISA, packing of sub-byte types: numbers of 6 and 4 bits are packed in global memory, and `tma.load` pads 16 of them to 16 bytes of shared memory, which `tmem.cp` spreads to a byte each in tensor memory
