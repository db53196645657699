// mode: check
program p target sm_80
in x: f32[32]
inout n: i32[32]; inout h: bf16[32]
kernel run {
  grid (1)
  role main: warps 1 {
    red.max.relaxed.gpu(h[lane], cvt.bf16(1.0))
  }
}
//--- expected
// error[CK1221]: `red.max` has no form for `bf16`
//   --> fail_atomic_type.cake:8:25
//    8 |     red.max.relaxed.gpu(h[lane], cvt.bf16(1.0))
//      |                         ^^^^^^^
//   why: the memory system computes on words of 32 and 64 bits, on each in its own way
