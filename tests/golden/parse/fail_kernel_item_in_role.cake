// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    smem s: f32[4]
    ring r[2] { a: f32[4] } from p to q
    grid (N)
    barrier b threads 64
    let a = 1
  }
}
//--- expected
// error[CK0050]: `smem` is declared inside a role
//   --> fail_kernel_item_in_role.cake:9:5
//    9 |     smem s: f32[4]
//      |     ^^^^
//   why: memory, events and barriers belong to the kernel, where all its roles see them
//
// error[CK0050]: `ring` is declared inside a role
//   --> fail_kernel_item_in_role.cake:10:5
//   10 |     ring r[2] { a: f32[4] } from p to q
//      |     ^^^^
//   why: memory, events and barriers belong to the kernel, where all its roles see them
//
// error[CK0050]: `barrier` is declared inside a role
//   --> fail_kernel_item_in_role.cake:12:5
//   12 |     barrier b threads 64
//      |     ^^^^^^^
//   why: memory, events and barriers belong to the kernel, where all its roles see them
