// y = a + w where each CTA of a cluster loads its part of w for all.
program cluster_shared target sm_90
dim M in 1..=2, T in 1..=12
param CL in {2, 4} = 2
param STAGES in {2, 3, 4, 5} = 2
param TAKE in {1, 2, 4} = 2  // warps
param ROWS in {16, 32} = 16
in a: f32[M*CL*ROWS, T*32], w: f32[ROWS, T*32]
out y: f32[M*CL*ROWS, T*32]
kernel run {
  cluster CL
  const R = ROWS/CL
  grid (M*CL)
  ring both[STAGES] { a: f32[ROWS, 32]; w: f32[ROWS, 32] } from load to add cluster
  role load: warps 1 {
    let h = cluster.rank*R
    for t in 0..T {
      acquire both@t
      tma.load both.a@t <- a[cta*ROWS:+ROWS, t*32:+32]
      tma.load both.w@t[h:+R, :] <- w[h:+R, t*32:+32] multicast (1 << CL) - 1
      commit both@t
    }
  }
  role add: warps TAKE {
    for t in 0..T {
      wait both@t
      for r in warp..ROWS step TAKE {
        st y[cta*ROWS + r, t*32 + lane] <- (ld both.a@t[r, lane]) + (ld both.w@t[r, lane])
      }
      release both@t
    }
  }
}
