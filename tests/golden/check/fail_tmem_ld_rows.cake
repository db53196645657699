// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  smem sa: bf16[128, 64] swizzle 128
  smem sb: bf16[32, 64] swizzle 128
  tmem acc: f32[128, 32]
  role main: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    tmem.ld f <- acc[32:+64, :]
  }
}
//--- expected
// error[CK1446]: a slice of the rows of `acc`
//   --> fail_tmem_ld_rows.cake:11:18
//   11 |     tmem.ld f <- acc[32:+64, :]
//      |                  ^^^^^^^^^^^^^^
//   why: PTX ISA, tcgen05 access restrictions: each warp reaches its own 32 lanes, so that a view takes all rows, `[:, c:+n]`
