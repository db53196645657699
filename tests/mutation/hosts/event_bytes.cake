// y = a + b by loads on events whose bytes the program counts, and an event that gives buffers back.
program event_bytes target sm_90
dim M in 1..=4, T in 1..=20
param STAGES in {2, 3, 4, 5, 6, 8} = 2
param ROWS in {8, 16, 24, 32} = 8
param TAKE in {1, 2, 4, 8} = 2  // warps
in a: f32[M*ROWS, T*32], b: f32[M*ROWS, T*32]
out y: f32[M*ROWS, T*32]
kernel run {
  grid (M)
  smem left[STAGES]: f32[ROWS, 32]
  smem right[STAGES]: f32[ROWS, 32]
  event first[STAGES] count 1
  event second[STAGES] count 1
  event free[STAGES] count TAKE
  role load: warps 1 {
    for t in 0..T {
      wait free@(t - STAGES)
      expect first@t bytes ROWS*128
      tma.load left@t <- a[cta*ROWS:+ROWS, t*32:+32] on first@t
      expect second@t bytes ROWS*128
      tma.load right@t <- b[cta*ROWS:+ROWS, t*32:+32] on second@t
    }
  }
  role take: warps TAKE {
    for t in 0..T {
      wait first@t
      wait second@t
      for r in warp..ROWS step TAKE {
        st y[cta*ROWS + r, t*32 + lane] <- (ld left@t[r, lane]) + (ld right@t[r, lane])
      }
      arrive free@t
    }
  }
}
