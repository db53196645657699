// 32 threads divided by 128 are no arrivals at all.
program p target sm_90
param READERS in {32, 128} = 32
in x: f32[32]
out y: f32[32]
kernel k {
  grid (1)
  smem s: f32[32]
  event free[1] count READERS/128
  role read: warps 1 {
    st s[lane] <- ld x[lane]
    arrive free@0
    wait free@0
    st y[lane] <- ld s[31 - lane]
  }
}
