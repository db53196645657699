// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = lanes.sum(scale, 5)
    let b = lanes.max(scale, 64)
  }
}
//--- expected
// error[CK1045]: a group of 5 lanes; 2, 4, 8, 16 or 32 are possible
//   --> fail_group_width.cake:10:30
//   10 |     let a = lanes.sum(scale, 5)
//      |                              ^
//   why: lane groups are aligned powers of two inside a warp
//
// error[CK1045]: a group of 64 lanes; 2, 4, 8, 16 or 32 are possible
//   --> fail_group_width.cake:11:30
//   11 |     let b = lanes.max(scale, 64)
//      |                              ^^
//   why: lane groups are aligned powers of two inside a warp
