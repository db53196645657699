// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
grid (N)
kernel k {
  grid (N)
}
  role main: warps 1 { lett c = 1 }
//--- expected
// error[CK0046]: `grid` stands outside a kernel
//   --> fail_kernel_item_in_program.cake:6:1
//    6 | grid (N)
//      | ^^^^
//
// error[CK0046]: `role` stands outside a kernel
//   --> fail_kernel_item_in_program.cake:10:3
//   10 |   role main: warps 1 { lett c = 1 }
//      |   ^^^^
//
// error[CK0020]: `lett` begins no statement and names no instruction
//   --> fail_kernel_item_in_program.cake:10:24
//   10 |   role main: warps 1 { lett c = 1 }
//      |                        ^^^^
//   fix (maybe): write `let`
//     10:24: `lett` -> `let`
