// The barrier of all threads stands in one role of two.
program p target sm_90
in x: f32[128]
out y: f32[1]
kernel k {
  grid (1)
  smem s: f32[128]
  smem part: f32[4]
  event full[1] count 1
  role load: warps 1 { tma.load s <- x on full@0; expect full@0 }
  role compute: warps 4 {
    wait full@0
    let v = lanes.sum(ld s[thread], 32)
    elect { st part[warp] <- v }
    sync role
    once { st y[0] <- (ld part[0]) + (ld part[1]) + ((ld part[2]) + (ld part[3])) }
  }
}
