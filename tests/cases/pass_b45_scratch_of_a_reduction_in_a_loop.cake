// The scratch of the reduction is written in the next turn while warps still read it.
program p target sm_80
dim N in 1..=64
in x: f32[N, 128]
out y: f32[4]
kernel k {
  grid (1)
  smem part: f32[4]
  role main: warps 4 {
    var best: f32 = -inf
    for i in 0..N {
      let m = lanes.max(ld x[i, thread], 32)
      elect { st part[warp] <- m }
      sync role
      let r = max(max(ld part[0], ld part[1]), max(ld part[2], ld part[3]))
      best = max(best, r)
      sync role
    }
    elect { st y[warp] <- best }
  }
}
