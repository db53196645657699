// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = cvt(scale)
  }
}
//--- expected
// error[CK1030]: `cvt` needs a modifier such as `bool`
//   --> fail_missing_modifier.cake:10:13
//   10 |     let a = cvt(scale)
//      |             ^^^^^^^^^^
//   why: the modifier is part of what the instruction does and has no default
