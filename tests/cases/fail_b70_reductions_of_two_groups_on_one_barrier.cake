// A reduction that two warpgroups execute at the same time meets on one barrier of 128 threads.
program p target sm_80
in x: f32[256]
out y: f32[2]
kernel k {
  grid (1)
  smem part: f32[8]
  barrier meet[2] threads 128
  fn sum(v: f32, w: i32, id: i32) -> f32 {
    let s = lanes.sum(v, 32)
    elect { st part[w] <- s }
    bar.sync meet[id]
    return (ld part[w/4*4]) + (ld part[w/4*4 + 1]) + ((ld part[w/4*4 + 2]) + (ld part[w/4*4 + 3]))
  }
  role left: warps 4 {
    let s = sum(ld x[thread], warp, 0)
    once { st y[0] <- s }
  }
  role right: warps 4 {
    let s = sum(ld x[128 + thread], warp + 4, 0)
    once { st y[1] <- s }
  }
}
