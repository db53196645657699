// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = q + 1
    let b = a + 1
    st y[b, 0] <- 1.0
  }
}
//--- expected
// error[CK1001]: unknown name `q`
//   --> fail_unknown_name_once_a_use.cake:10:13
//   10 |     let a = q + 1
//      |             ^
//   why: a name is visible from its declaration to the end of its block; a fn sees the names that are visible where it is defined
