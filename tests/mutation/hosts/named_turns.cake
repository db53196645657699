// y = x through STAGES buffers between two roles, by named barriers alone.
program named_turns target sm_80
dim M in 1..=64, N in 1..=16
param STAGES in {2, 3, 4, 5, 6, 7} = 2
param GIVE in {1, 2, 4} = 1  // warps
param TAKE in {1, 2, 4, 8} = 1
in x: f32[M, N*128]
out y: f32[M, N*128]
kernel run {
  grid (M)
  smem buf[STAGES]: f32[128]
  barrier full[STAGES] threads 32*GIVE + 32*TAKE
  barrier empty[STAGES] threads 32*GIVE + 32*TAKE
  role give: warps GIVE {
    for t in 0..N {
      if t >= STAGES { bar.sync empty[t % STAGES] }
      for i in thread..128 step 32*GIVE { st buf@t[i] <- ld x[cta, t*128 + i] }
      bar.arrive full[t % STAGES]
    }
  }
  role take: warps TAKE {
    for t in 0..N {
      bar.sync full[t % STAGES]
      for i in thread..128 step 32*TAKE { st y[cta, t*128 + i] <- ld buf@t[127 - i] }
      if t + STAGES < N { bar.arrive empty[t % STAGES] }
    }
  }
}
