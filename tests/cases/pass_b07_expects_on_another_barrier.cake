// The second kernel expects the bytes on a barrier other than the one that the load completes on.
program p target sm_90
in x: f32[32]
out y: f32[32], z: f32[32]
kernel first {
  grid (1)
  smem s: f32[32]
  event full[2] count 1
  role main: warps 1 {
    tma.load s <- x on full@0
    expect full@0
    wait full@0
    st y[lane] <- ld s[lane]
  }
}
kernel second {
  grid (1)
  smem s: f32[32]
  event full[2] count 1
  role main: warps 1 {
    tma.load s <- x on full@0
    expect full@0 bytes 128
    wait full@0
    st z[lane] <- ld s[lane]
  }
}
