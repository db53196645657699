// The fence stands in the loop, which a sequence of no tokens leaves out.
program p target sm_90
dim T in 0..=64
in x: f32[T, 32]
out y: f32[32]
kernel k {
  grid (1)
  smem state: f32[32]
  role main: warps 1 {
    st state[lane] <- 0.0
    for t in 0..T {
      st state[lane] <- (ld state[lane]) + (ld x[t, lane])
      fence async
    }
    sync role
    once { tma.store y <- state; tma.commit; tma.wait.read 0 }
  }
}
