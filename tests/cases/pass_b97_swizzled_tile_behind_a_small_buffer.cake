// A swizzled tile is declared behind 128 bytes: its place is derived, at a multiple of the pattern.
program p target sm_90
in x: bf16[64, 64], s: f32[32]
out y: bf16[64, 64], z: f32[32]
kernel k {
  grid (1)
  smem small: f32[32]
  smem tile: bf16[64, 64] swizzle 128
  event full[1] count 1
  role main: warps 1 {
    st small[lane] <- ld s[lane]
    tma.load tile <- x on full@0
    expect full@0
    wait full@0
    for r in 0..64 { st y[r, lane*2:+2] <- ld tile[r, lane*2:+2] }
    st z[lane] <- ld small[31 - lane]
  }
}
