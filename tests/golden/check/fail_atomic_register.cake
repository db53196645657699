// mode: check
program p target sm_80
in x: f32[32]
inout n: i32[32]; inout h: bf16[32]
kernel run {
  grid (1)
  role main: warps 1 {
    var s: i32 = 0
    red.add.relaxed.gpu(s, 1)
  }
}
//--- expected
// error[CK1223]: the first operand of `red.add` is the word in memory
//   --> fail_atomic_register.cake:9:25
//    9 |     red.add.relaxed.gpu(s, 1)
//      |                         ^
//   why: an atomic reads and writes memory in one step; registers are private anyway
