// mode: check
program p target sm_90
in x: f32[32]
inout n: i32[32]; inout h: bf16[32]
kernel run {
  grid (1)
  smem part: f32[4]
  role main: warps 1 {
    red.max.relaxed.gpu(h[0:+2], cvt.bf16([1.0, 2.0]))
    red.add.relaxed.gpu(n[0:+4], 1)
    red.add.relaxed.cta(part[0:+4], 1.0)
  }
}
//--- expected
// error[CK1210]: `red.add` has no form for 4 neighbours of `i32`
//   --> fail_atomic_vector.cake:10:25
//   10 |     red.add.relaxed.gpu(n[0:+4], 1)
//      |                         ^^^^^^^
//   why: PTX ISA, atom and red: `.add` takes 2 or 4 `f32`, or 2, 4 or 8 `f16` or `bf16`, `.min` and `.max` the latter; every other operation takes one word
//   fix (manual): one access an element, in a loop
//
// error[CK1211]: `red.add` of 16 bytes of neighbours in shared memory, which takes at most 4 at once
//   --> fail_atomic_vector.cake:11:25
//   11 |     red.add.relaxed.cta(part[0:+4], 1.0)
//      |                         ^^^^^^^^^^
//   why: PTX ISA, atom and red: vector types are of global memory only
//   fix (manual): access fewer neighbours at once, in a loop
