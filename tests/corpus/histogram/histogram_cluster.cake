// Counts of bytes. The table lies spread over the CTAs of a cluster, each of which counts into the part
// where a value belongs, wherever that is; COPIES of it keep threads apart.
program histogram_cluster target sm_90a
dim N in 0..=1073741824
param WARPS in {4, 8, 16} = 8
param COPIES in {1, 2, 4, 8} = 4
param CL in {2, 4, 8} = 2
in x: u8[N]
out h: u32[256]
kernel clear {
  grid (1)
  role main: warps 8 { st h[thread] <- 0 }
}
kernel count {
  cluster CL
  const T = 32*WARPS
  const PART = 256/CL
  grid (SMS)
  smem table: u32[COPIES, PART]
  role main: warps WARPS {
    let copy = warp % COPIES
    fn count(v: i32) { red.add.relaxed.cluster(table[copy, v % PART] at v / PART, 1) }
    for i in thread..COPIES*PART step T { st table[i / PART, i % PART] <- 0 }
    cluster.sync
    let groups = N / 16
    for g in cta*T + thread .. groups step ctas*T {
      let v = ld.streaming x[g*16:+16]
      for e in 0..16 { count(cvt.i32(v[e])) }
    }
    if cta == 0 && thread < N % 16 { count(cvt.i32(ld x[groups*16 + thread])) }
    cluster.sync
    for b in thread..PART step T {
      var sum: u32 = 0
      for c in 0..COPIES { sum += ld table[c, b] }
      if sum > 0 { red.add.relaxed.gpu(h[cluster.rank*PART + b], sum) }
    }
  }
}
