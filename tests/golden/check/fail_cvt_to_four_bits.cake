// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  event e1[2] count 1
  cluster 2
  role main: warps 4 {
    var f: wgmma f32[64, 64]
    let e = cvt.e2m1(0.5)
  }
}
//--- expected
// error[CK1217]: e2m1 does not lie in registers; global memory has e2m1x2
//   --> fail_cvt_to_four_bits.cake:13:13
//   13 |     let e = cvt.e2m1(0.5)
//      |             ^^^^^^^^^^^^^
//   why: PTX ISA, packing of sub-byte types: numbers of 6 and 4 bits are packed in global memory, and `tma.load` pads 16 of them to 16 bytes of shared memory, which `tmem.cp` spreads to a byte each in tensor memory
