// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  ring r[2] { a: f32[64] } from mian to main
  role main: warps 4 {
    sync warp
  }
}
//--- expected
// error[CK1097]: no role `mian` in this kernel
//   --> fail_unknown_role.cake:9:33
//    9 |   ring r[2] { a: f32[64] } from mian to main
//      |                                 ^^^^
//   why: a ring names the roles that fill and empty it
//   fix (maybe): use `main`
//     9:33: `mian` -> `main`
