// y = x and z = x turned round, by copies that fill up what lies behind the last row.
program copy_groups_filled target sm_80
dim M in 1..=4, T in 1..=20
param AHEAD in {1, 2, 3, 4, 5, 6, 7} = 2
param WARPS in {1, 2, 4, 8} = 2
param V in {1, 2, 4} = 4  // elements a lane copies
in x: f32[M*WARPS, T, 32*V]
out y: f32[M*WARPS, T, 32*V], z: f32[M*WARPS, T, 32*V]
kernel forth {
  grid (M)
  smem buf[AHEAD + 1]: f32[WARPS, 32*V]
  role main: warps WARPS {
    let row = cta*WARPS + warp
    for t in 0..T + AHEAD {
      cp.async buf@t[warp, lane*V:+V] <- x[row, t, lane*V:+V] else 0.0
      cp.async.commit
      cp.async.wait AHEAD; sync role
      if t >= AHEAD {
        let at = t - AHEAD
        for j in 0..V { st y[row, at, j*32 + lane] <- ld buf@at[warp, 32*V - 1 - j*32 - lane] }
      }
      sync role
    }
  }
}
kernel back {
  grid (M)
  smem buf[AHEAD + 1]: f32[WARPS, 32*V]
  role idle: warps 1 {}
  role main: warps WARPS {
    let row = cta*WARPS + warp
    for t in 0..T + AHEAD {
      cp.async buf@t[warp, lane*V:+V] <- x[row, t, lane*V:+V] else 0.0
      cp.async.commit
      cp.async.wait AHEAD; sync role
      if t >= AHEAD {
        let at = t - AHEAD
        for j in 0..V { st z[row, at, j*32 + lane] <- ld buf@at[WARPS - 1 - warp, j*32 + (lane + 1) % 32] }
      }
      sync role
    }
  }
}
