// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn two() -> (i32, i32) { return lane, 1 }
    let a = two()
  }
}
//--- expected
// error[CK1081]: `two` gives 2 values where one is needed
//   --> fail_result_count.cake:11:13
//   11 |     let a = two()
//      |             ^^^^^
//   why: several results are taken apart by a pattern: `let (a, b) = f(x)`
