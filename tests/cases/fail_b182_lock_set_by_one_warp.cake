// One warp signals that the tile is stored while another has not stored its part.
program p target sm_80
in x: f32[2, 64]
out y: f32[64]
workspace tile: f32[64]
workspace lock: i32[1] zero
workspace ticket: i32[1] zero
kernel k {
  grid (2)
  smem number: i32[1]
  role main: warps 2 {
    once { st number[0] <- atomic.add.relaxed.gpu(ticket[0], 1) }
    sync role
    let me = ld number[0]
    if me == 0 {
      st tile[thread] <- ld x[0, thread]
      sync warp
      if warp == 0 { elect { st.release.gpu lock[0] <- 1 } }
    } else {
      once { while ld.acquire.gpu lock[0] == 0 {} }
      sync role
      st y[thread] <- (ld tile[thread]) + ld x[1, thread]
    }
  }
}
