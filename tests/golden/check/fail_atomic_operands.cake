// mode: check
program p target sm_80
in x: f32[32]
inout n: i32[32]; inout h: bf16[32]
kernel run {
  grid (1)
  role main: warps 1 {
    red.add.relaxed.gpu(n[lane])
    let old = atomic.cas.relaxed.gpu(n[lane], 1)
  }
}
//--- expected
// error[CK1222]: `red.add` takes a view and 1 values, 0 given
//   --> fail_atomic_operands.cake:8:5
//    8 |     red.add.relaxed.gpu(n[lane])
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: the operands of each instruction are a fixed list
//
// error[CK1222]: `atomic.cas` takes a view and 2 values, 1 given
//   --> fail_atomic_operands.cake:9:15
//    9 |     let old = atomic.cas.relaxed.gpu(n[lane], 1)
//      |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: the operands of each instruction are a fixed list
