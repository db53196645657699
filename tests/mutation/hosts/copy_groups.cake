// y = x turned round, by copies of which AHEAD groups are under way.
program copy_groups target sm_80
dim M in 1..=4, T in 1..=20
param AHEAD in {1, 2, 3, 4, 5} = 2
param WARPS in {1, 2, 4, 8} = 2
param ROWS in {1, 2, 4} = 1
in x: f32[M, T, ROWS*WARPS*128]
out y: f32[M, T, ROWS*WARPS*128]
kernel run {
  const W = WARPS*128
  grid (M)
  smem buf[AHEAD + 1]: f32[ROWS*W]
  role main: warps WARPS {
    for t in 0..T + AHEAD {
      if t < T {
        for r in 0..ROWS { cp.async buf@t[r*W + thread*4:+4] <- x[cta, t, r*W + thread*4:+4] }
      }
      cp.async.commit
      cp.async.wait AHEAD; sync role
      if t >= AHEAD {
        let at = t - AHEAD
        for e in thread..ROWS*W step 32*WARPS { st y[cta, at, e] <- ld buf@at[ROWS*W - 1 - e] }
      }
      sync role
    }
  }
}
