// Rows that the hardware brings in its pattern are read by threads through the same names, behind a buffer of 256 bytes.
program p target sm_90
in x: f32[32, 32]
out y: f32[32, 32], z: f32[64]
kernel k {
  grid (1)
  smem before: f32[64]
  smem tile: f32[32, 32] swizzle 128
  event full[1] count 1
  role main: warps 1 {
    st before[lane*2:+2] <- [1.0, 2.0]
    tma.load tile <- x on full@0
    expect full@0
    wait full@0
    for r in 0..32 { st y[lane, r] <- ld tile[r, lane] }
    st z[lane*2:+2] <- ld before[lane*2:+2]
  }
}
