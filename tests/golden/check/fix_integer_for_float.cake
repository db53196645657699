// mode: check-fix
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
inout y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    var a: f32 = 1
    st y[cta, 0] <- a * 2
  }
}
//--- expected
// // mode: check-fix
// program p target sm_90a
// dim N in 1..=4096, K in 8..=64
// in x: f32[N, K], h: bf16[N, K], idx: i32[N]
// inout y: f32[N, K]
// arg scale: f32, n: i32
// kernel k {
//   grid (N)
//   role main: warps 4 {
//     var a: f32 = 1.0
//     st y[cta, 0] <- a * 2.0
//   }
// }
