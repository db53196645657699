// y = x transposed. The CTAs of a cluster read blocks one below the other and hand their columns to each
// other, so that each writes rows CL times as long as its block is high.
program transpose_cluster target sm_90a
dim M in 0..=65536, N in 0..=65536
param CL in {2, 4} = 2
in x: f32[M, N]
out y: f32[N, M]
kernel transpose {
  cluster CL
  const ROWS = 32/CL
  let across = ceildiv(N, 32)
  let total = across*ceildiv(M, 32*CL)
  grid (SMS)
  smem block: f32[ROWS, 32*CL] padded 1
  role main: warps 8 {
    for t in cluster.id..total step clusters {
      let m0 = t / max(across, 1) * (32*CL)
      let n0 = t % max(across, 1) * 32
      for r in warp..32 step 8 {
        let m = m0 + cluster.rank*32 + r
        let v = ld x[m, n0 + lane] else 0.0
        st block[lane % ROWS, cluster.rank*32 + r] at lane / ROWS <- v
      }
      cluster.sync
      for i in warp..ROWS step 8 {
        let n = n0 + cluster.rank*ROWS + i
        for c in 0..CL {
          let m = m0 + c*32 + lane
          if n < N && m < M { st y[n, m] <- ld block[i, c*32 + lane] }
        }
      }
      cluster.sync
    }
  }
}
