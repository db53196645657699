// mode: fix
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (N)
  role main: warps 1 {  # python
    var i = 0
    while i = 3 || i < 1 { i++ }
    if i<-1 {}
    if i > -2 and i < 4 {}
    wait r@i-1; release r@(i-1)
    if i == 2 or i > 0 { st y[i] <- 0.0 }
  }
}
//--- expected
// // mode: fix
// program p target sm_90a
// dim N in 1..=4096
// in x: f32[N]
// out y: f32[N]
// kernel k {
//   grid (N)
//   role main: warps 1 {  // python
//     var i = 0
//     while i == 3 || i < 1 { i += 1 }
//     if i < -1 {}
//     if i > -2 && i < 4 {}
//     wait r@(i-1); release r@(i-1)
//     if i == 2 || i > 0 { st y[i] <- 0.0 }
//   }
// }
