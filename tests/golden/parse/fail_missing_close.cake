// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel a {
  grid (N)
  role one: warps 1 {
    if lane == 0 {
      st y[0] <- 1.0
  }
  role two: warps 1 { sycn warp }
}
kernel b {
  grid (N)
  role main: warps 1 {
    let a = 1
kernel c {
  grid (N)
  role main: warps 1 { sycn warp }
}
//--- expected
// error[CK0043]: missing `}` before `role`
//   --> fail_missing_close.cake:12:3
//   12 |   role two: warps 1 { sycn warp }
//      |   ^^^^
//    8 |   role one: warps 1 {
//      |                     - opened here
//   fix (maybe): close the block
//     12:3: insert `}\n`
//
// error[CK0020]: `sycn` begins no statement and names no instruction
//   --> fail_missing_close.cake:12:23
//   12 |   role two: warps 1 { sycn warp }
//      |                       ^^^^
//   fix (maybe): write `sync`
//     12:23: `sycn` -> `sync`
//
// error[CK0043]: missing `}` before `kernel`
//   --> fail_missing_close.cake:18:1
//   18 | kernel c {
//      | ^^^^^^
//   16 |   role main: warps 1 {
//      |                      - opened here
//   fix (maybe): close the block
//     18:1: insert `}\n`
//
// error[CK0020]: `sycn` begins no statement and names no instruction
//   --> fail_missing_close.cake:20:24
//   20 |   role main: warps 1 { sycn warp }
//      |                        ^^^^
//   fix (maybe): write `sync`
//     20:24: `sycn` -> `sync`
