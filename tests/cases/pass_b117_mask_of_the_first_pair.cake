// Both pairs of a cluster of four send to the CTAs 0 and 1.
program p target sm_90
in x: f32[8, 32]
out y: f32[8, 32]
kernel k {
  cluster 4
  grid (8)
  smem s: f32[2, 32]
  event full[1] count 1
  role main: warps 1 {
    let r = cluster.rank % 2
    tma.load s[r, :] <- x[cta, :] on full@0 multicast 3 << (cluster.rank - r)
    expect full@0 bytes 256
    wait full@0
    st y[cta, lane] <- ld s[r, lane]
  }
}
