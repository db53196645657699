// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    iter it() -> i32 { for i in 0..4 { yield i } }
    let a = it()
  }
}
//--- expected
// error[CK1082]: `it` is an iter
//   --> fail_iter_as_value.cake:11:13
//   11 |     let a = it()
//      |             ^^^^
//   why: an iter is looped over: `for x in it(..) { .. }`
