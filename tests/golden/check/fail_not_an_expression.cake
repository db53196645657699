// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = sync(3)
    let b = st
  }
}
//--- expected
// error[CK1067]: `sync` is an instruction, not a value
//   --> fail_not_an_expression.cake:10:13
//   10 |     let a = sync(3)
//      |             ^^^^^^^
//   why: it stands as a statement of its own
//
// error[CK1067]: `st` is an instruction, not a value
//   --> fail_not_an_expression.cake:11:13
//   11 |     let b = st
//      |             ^^
//   why: it stands as a statement of its own
