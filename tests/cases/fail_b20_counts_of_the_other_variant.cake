// Rows of a ragged length are copied by threads that all arrive; the barrier counts the one of the hardware's copy.
program p target sm_90
dim N in 1..=128
in x: f32[N]
out y: f32[N]
kernel k {
  grid (1)
  smem s: f32[128]
  event full[1] count 1
  role load: warps 1 {
    for i in 0..4 { if i*32 + lane < N { st s[i*32 + lane] <- ld x[i*32 + lane] } }
    if N % 4 != 0 { arrive.thread full@0 } else { arrive full@0 }
  }
  role read: warps 4 {
    wait full@0
    if thread < N { st y[thread] <- ld s[thread] }
  }
}
