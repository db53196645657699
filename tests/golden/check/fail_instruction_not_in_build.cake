// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  smem s: f32[64]
  role main: warps 4 {
    tma.gather4 s <- x[cta, :]
    let a = atomic.add.relaxed.gpu(idx[0], 1)
    let b = a + 1
    fence async
  }
}
//--- expected
// error[CK1483]: the rows of `tma.gather4` are i32
//   --> fail_instruction_not_in_build.cake:11:24
//   11 |     tma.gather4 s <- x[cta, :]
//      |                        ^^^
//   why: PTX ISA, .tile::gather4: four coordinates of 32 bits, one a row
//   fix (manual): give four i32: `[a, b, c, d]`
//
// error[CK1046]: `idx` is an input of the program
//   --> fail_instruction_not_in_build.cake:12:36
//   12 |     let a = atomic.add.relaxed.gpu(idx[0], 1)
//      |                                    ^^^^^^
//    4 | in x: f32[N, K], h: bf16[N, K], idx: i32[N]
//      |                                 --- declared here
//   why: `in` tensors are only read; loads of them may go through the read-only path
