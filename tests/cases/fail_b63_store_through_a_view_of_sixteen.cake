// 32 lanes store where the array has 16 places; its neighbour in memory is written over.
program p target sm_80
in x: f32[32]
out y: f32[16], z: f32[16]
kernel k {
  grid (1)
  smem a: f32[16]
  smem d: f32[16]
  role main: warps 1 {
    if lane < 32 { st a[lane] <- ld x[lane] }
    if lane < 16 { st d[lane] <- 1.0 }
    sync role
    if lane < 16 { st y[lane] <- ld a[15 - lane]; st z[lane] <- ld d[15 - lane] }
  }
}
