// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  dim M in 1..=4
  where M > 1
  in z: f32[M]
  grid (N)
  role main: warps 1 { let c = 1 }
}
//--- expected
// error[CK0047]: `dim` stands inside a kernel
//   --> fail_item_in_kernel.cake:7:3
//    7 |   dim M in 1..=4
//      |   ^^^
//   why: it is an item of the program, shared by all its kernels
//
// error[CK0047]: `where` stands inside a kernel
//   --> fail_item_in_kernel.cake:8:3
//    8 |   where M > 1
//      |   ^^^^^
//   why: it is an item of the program, shared by all its kernels
//
// error[CK0047]: `in` stands inside a kernel
//   --> fail_item_in_kernel.cake:9:3
//    9 |   in z: f32[M]
//      |   ^^
//   why: it is an item of the program, shared by all its kernels
