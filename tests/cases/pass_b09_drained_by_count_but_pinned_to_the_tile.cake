// Two slots are drained by a count of one, but three parts of a tile begin anew in slot 0.
program p target sm_90
dim T in 1..=64
in x: f32[3*T, 32]
out y: f32[3*T, 32]
kernel k {
  grid (1)
  smem staged[2]: f32[32]
  role main: warps 1 {
    for t in 0..T {
      for i in 0..3 {
        let use = 3*t + i
        once { tma.wait.read 1 }
        sync role
        st staged@use[lane] <- ld x[3*t + i, lane]
        fence async
        sync role
        once { tma.store y[3*t + i, :] <- staged@use; tma.commit }
      }
    }
    once { tma.wait.read 0 }
  }
}
