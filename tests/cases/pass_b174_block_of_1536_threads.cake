// 48 warps are 1,536 threads; a block has 1,024 at most.
program p target sm_80
in x: f32[1536]
out y: f32[1536]
kernel k {
  grid (2)
  role main: warps 24 { st y[cta*768 + thread] <- ld x[cta*768 + thread] }
}
