// mode: check
// A kernel whose condition this member never meets has nothing to prove: its accesses are for members that do.
program member target sm_80
param W in {1, 2} = 1
dim N in 1..=64
in x: f32[N]
out y: f32[N]
kernel narrow when W == 1 {
  grid (ceildiv(N, 32))
  role main: warps 1 {
    let i = cta*32 + lane
    if i < N { st y[i] <- ld x[i] }
  }
}
kernel wide when W > 1 && N == 64 {
  grid (1)
  role main: warps 2 { st y[thread] <- ld x[thread] }
}
kernel wider when W > 1 {
  grid (1)
  role main: warps 2 { st y[thread] <- ld x[thread] }
}
//--- expected
