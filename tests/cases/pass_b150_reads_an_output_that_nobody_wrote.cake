// The epilogue always reads c, whose contents count only where beta is not zero.
program p target sm_80
arg beta: f32
in x: f32[128]
inout c: f32[128]
kernel k {
  grid (1)
  role main: warps 4 { st c[thread] <- (ld x[thread]) + beta * (ld c[thread]) }
}
