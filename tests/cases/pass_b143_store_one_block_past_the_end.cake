// A block of 128 is stored whole at the end of a tensor of any length.
program p target sm_80
dim N in 1..=65536
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let i = cta*128 + thread
    if i < N { st y[i] <- ld x[i] }
  }
}
