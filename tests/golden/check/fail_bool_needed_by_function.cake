// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = select(lane, 1.0, 2.0)
  }
}
//--- expected
// error[CK1015]: a condition is needed, `i32` found
//   --> fail_bool_needed_by_function.cake:10:20
//   10 |     let a = select(lane, 1.0, 2.0)
//      |                    ^^^^
//   why: a number is no condition; compare it
