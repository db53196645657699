// mode: check
program p target sm_100a
out y: f32[128, 32]
kernel k {
  grid (1)
  tmem a: e2m3[128, 32]
  tmem b: e2m1[128, 32]
  role main: warps 4 { }
}
//--- expected
// error[CK1032]: `e2m3 in tensor memory` is not in this build
//   --> fail_six_bits_in_tensor_memory.cake:6:11
//    6 |   tmem a: e2m3[128, 32]
//      |           ^^^^
//   why: the language has it; no part of this build runs it
//
// error[CK1032]: `e2m1 in tensor memory` is not in this build
//   --> fail_six_bits_in_tensor_memory.cake:7:11
//    7 |   tmem b: e2m1[128, 32]
//      |           ^^^^
//   why: the language has it; no part of this build runs it
