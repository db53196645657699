// c = a + b. A thread adds REPEAT groups of V neighbouring elements; the last, incomplete group is
// added element by element.
program vector_add target sm_80
dim N in 0..=1073741824
param WARPS in {2, 4, 8, 16} = 8
param V in {1, 2, 4, 8} = 4  // elements an access: 8 are 32 bytes, which no load moves here
param REPEAT in {1, 2, 4} = 2
in a: f32[N], b: f32[N]
out c: f32[N]
kernel add {
  const T = 32*WARPS
  grid (ceildiv(N, T*V*REPEAT))
  role main: warps WARPS {
    for r in 0..REPEAT unroll REPEAT {
      let i = cta*(T*V*REPEAT) + (r*T + thread)*V
      if i + V <= N {
        let x = ld.streaming a[i:+V]
        let y = ld.streaming b[i:+V]
        var z: f32[V] = 0.0
        for e in 0..V { z[e] = x[e] + y[e] }
        st.streaming c[i:+V] <- z
      } else {
        for e in i..N { st c[e] <- (ld a[e]) + (ld b[e]) }
      }
    }
  }
}
