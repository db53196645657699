// mode: check
program p target sm_80
in x: f32[32]
inout n: i32[32]; inout h: bf16[32]
kernel run {
  grid (1)
  role main: warps 1 {
    red.add.relaxed.gpu(x[lane], 1.0)
  }
}
//--- expected
// error[CK1046]: `x` is an input of the program
//   --> fail_atomic_on_input.cake:8:25
//    8 |     red.add.relaxed.gpu(x[lane], 1.0)
//      |                         ^^^^^^^
//    3 | in x: f32[32]
//      |    - declared here
//   why: `in` tensors are only read; loads of them may go through the read-only path
