// mode: check
program p target sm_90
inout y: f16[8]
kernel k {
  grid (1)
  smem s: f16[8]
  role main: warps 1 {
    once { red.max.relaxed.gpu(y[0], 1.0) }
    once { red.max.relaxed.cta(s[0:+2], 1.0) }
  }
}
//--- expected
// error[CK1221]: `red.max` has no form for `f16`
//   --> fail_atomic_extreme_of_halves.cake:8:32
//    8 |     once { red.max.relaxed.gpu(y[0], 1.0) }
//      |                                ^^^^
//   why: the memory system computes on words of 32 and 64 bits, on each in its own way
//
// error[CK1211]: `red.max` of 4 bytes of neighbours in shared memory, which takes at most 0 at once
//   --> fail_atomic_extreme_of_halves.cake:9:32
//    9 |     once { red.max.relaxed.cta(s[0:+2], 1.0) }
//      |                                ^^^^^^^
//   why: PTX ISA, atom and red: vector types are of global memory only
//   fix (manual): access fewer neighbours at once, in a loop
