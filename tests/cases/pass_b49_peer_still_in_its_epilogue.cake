// The leader refills both CTAs' tile when its own epilogue is over; the peer's may not be.
program p target sm_90
dim T in 1..=16
in x: f32[T, 128]
out y: f32[2, T, 128]
kernel k {
  cluster 2
  grid (2)
  smem s: f32[128]
  event full[1] count 1
  event done[1] count 2
  role load: warps 1 {
    for t in 0..T {
      wait.cluster done@(t - 1)
      expect full@t bytes 512
      if cluster.rank == 0 { tma.load s <- x[t, :] on full@t multicast 3 }
    }
  }
  role epilogue: warps 4 {
    for t in 0..T {
      wait full@t
      st y[cta, t, thread] <- ld s[127 - thread]
      sync role
      if warp == 0 { arrive done@t; arrive done@t at 1 - cluster.rank }
    }
  }
}
