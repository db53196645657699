// Several CTAs store the same rows with equal values, by stores that may meet.
program p target sm_80
in x: f32[32, 32]
out y: f32[32, 32]
kernel k {
  grid (4)
  role main: warps 4 {
    for r in warp..16 step 4 {
      let row = cta/2*16 + r
      st.relaxed.gpu y[row, lane] <- ld x[row, lane]
    }
  }
}
