// y = x, through registers: 16 bytes an access, PER of them under way a thread.
program copy target sm_80
dim M in 0..=65535, N in 8..=65536
param WARPS in {4, 8} = 8
param PER in {1, 2, 4} = 4
in x: bf16[M, N]
out y: bf16[M, N]
where N % 8 == 0
kernel rows {
  const T = 32*WARPS
  grid (ceildiv(N, T*8*PER), M)
  role main: warps WARPS {
    var v: bf16[8*PER] = 0.0
    for p in 0..PER {
      let n = ((cta.x*PER + p)*T + thread)*8
      if n < N {
        let piece = ld.streaming x[cta.y, n:+8]
        for e in 0..8 { v[p*8 + e] = piece[e] }
      }
    }
    for p in 0..PER {
      let n = ((cta.x*PER + p)*T + thread)*8
      if n < N {
        var piece: bf16[8] = 0.0
        for e in 0..8 { piece[e] = v[p*8 + e] }
        st.streaming y[cta.y, n:+8] <- piece
      }
    }
  }
}
