// The next tile is written over the last one before all readers have seen it.
program p target sm_90
dim T in 1..=64
out y: i32[2, T]
kernel k {
  grid (1)
  smem mail: i32[1]
  event ready[1] count 1
  event taken[1] count 2
  role plan: warps 1 {
    for t in 0..T {
      wait taken@(t - 1)
      if lane == 0 { st mail[0] <- t }
      arrive ready@t
    }
  }
  role work: warps 2 {
    for t in 0..T {
      wait ready@t
      let tile = ld mail[0]
      if lane == 0 && t < T { st y[warp, t] <- tile }
      arrive taken@t
    }
  }
}
