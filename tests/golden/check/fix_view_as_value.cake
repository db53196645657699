// mode: check-fix
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
inout y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = x[cta, 0] * 2.0
    once { st y[cta, 0] <- a }
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
//     let a = ld x[cta, 0] * 2.0
//     once { st y[cta, 0] <- a }
//   }
// }
