// Each sum has one warp that adds to it, in the order of its loop: atomics and all the same bits.
program p target sm_80
dim K in 1..=16
in x: f32[4, K, 32]
out y: f32[4, 32]
kernel k {
  grid (1)
  smem sum: f32[4, 32]
  role main: warps 4 {
    st sum[warp, lane] <- 0.0
    for k in 0..K { red.add.relaxed.cta(sum[warp, lane], ld x[warp, k, lane]) }
    st y[warp, lane] <- ld sum[warp, lane]
  }
}
