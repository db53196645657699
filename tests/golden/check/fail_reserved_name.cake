// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let lane = 1
    let select = 2
    var cta = 3
  }
}
//--- expected
// error[CK1003]: `lane` is a built-in name
//   --> fail_reserved_name.cake:10:9
//   10 |     let lane = 1
//      |         ^^^^
//   why: built-in values and functions cannot be declared again
//
// error[CK1003]: `select` is a built-in name
//   --> fail_reserved_name.cake:11:9
//   11 |     let select = 2
//      |         ^^^^^^
//   why: built-in values and functions cannot be declared again
//
// error[CK1003]: `cta` is a built-in name
//   --> fail_reserved_name.cake:12:9
//   12 |     var cta = 3
//      |         ^^^
//   why: built-in values and functions cannot be declared again
