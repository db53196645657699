// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = scael * 2.0
    let b = nothing_like_it
  }
}
//--- expected
// error[CK1001]: unknown name `scael`
//   --> fail_unknown_name.cake:10:13
//   10 |     let a = scael * 2.0
//      |             ^^^^^
//   why: a name is visible from its declaration to the end of its block; a fn sees the names that are visible where it is defined
//   fix (maybe): use `scale`
//     10:13: `scael` -> `scale`
//
// error[CK1001]: unknown name `nothing_like_it`
//   --> fail_unknown_name.cake:11:13
//   11 |     let b = nothing_like_it
//      |             ^^^^^^^^^^^^^^^
//   why: a name is visible from its declaration to the end of its block; a fn sees the names that are visible where it is defined
