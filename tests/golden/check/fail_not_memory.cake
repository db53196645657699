// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    var a = 1
    st a[0] <- 1.0
    let c = ld scale
  }
}
//--- expected
// error[CK1007]: `a` is not memory
//   --> fail_not_memory.cake:11:8
//   11 |     st a[0] <- 1.0
//      |        ^^^^
//   why: loads, stores and copies name tensors, shared memory, fields of rings, or views of them
//
// error[CK1007]: `scale` is not memory
//   --> fail_not_memory.cake:12:16
//   12 |     let c = ld scale
//      |                ^^^^^
//   why: loads, stores and copies name tensors, shared memory, fields of rings, or views of them
