// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  smem s: bf16[16, 20]
  role main: warps 1 {
    var f: mma.a bf16[16, 16]
    ldmatrix f <- s[:, 0:+16]
  }
}
//--- expected
// error[CK1185]: a row of the tile of `s` begins at byte 40; `ldmatrix` moves rows of 16 B from multiples of 16 B
//   --> fail_ldmatrix_row_pitch.cake:9:19
//    9 |     ldmatrix f <- s[:, 0:+16]
//      |                   ^^^^^^^^^^^
//    6 |   smem s: bf16[16, 20]
//      |        - declared here
//   why: PTX ISA, ldmatrix and stmatrix: each row address is a multiple of 16 bytes
//   fix (manual): pad the rows: `padded 4`
