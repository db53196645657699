// The warpgroup that shall release the slot is none of the reading role's.
program p target sm_90a
dim K in 1..=64
in x: f32[K, 128]
out y: f32[K, 128]
kernel k {
  grid (1)
  smem s[2]: f32[128]
  event full[2] count 1
  event free[2] count 1
  role load: warps 4 {
    for k in 0..K {
      if warp == 0 {
        wait free@(k - 2)
        tma.load s@k <- x[k, :] on full@k
        expect full@k
      }
    }
  }
  role read: warps 4 {
    for k in 0..K {
      wait full@k
      st y[k, thread] <- ld s@k[thread]
      sync role
      if warp == 0 { arrive free@k }
    }
  }
}
