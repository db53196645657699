// y = x - max of its row, top = where it is. A loading role feeds a scanning one over STAGES buffers; a
// second kernel reads the maxima from a workspace.
program row_max target sm_80
dim M in 1..=4096, N in 32..=4096
param STAGES in {2, 4} = 2
in x: f32[M, N]
out y: f32[M, N], top: i32[M]
workspace best: f32[M]
where N % 32 == 0
kernel scan {
  grid (M)
  smem buf[STAGES]: f32[32]
  barrier full[STAGES] threads 64
  barrier empty[STAGES] threads 64
  let tiles = N/32
  fn tile(t: i32) -> i32 { return t*32 + lane }
  role load: warps 1 {
    for t in 0..tiles {
      if t >= STAGES { bar.sync empty[t % STAGES] }
      st buf@t[lane] <- ld x[cta, tile(t)]
      bar.arrive full[t % STAGES]
    }
  }
  role math: warps 1 {
    var m: f32 = -inf
    var at = 0
    for t in 0..tiles {
      bar.sync full[t % STAGES]
      let v = ld buf@t[lane]
      if v > m { m = v; at = tile(t) }
      if t + STAGES < tiles { bar.arrive empty[t % STAGES] }
    }
    let (mx, place) = lanes.argmax(m, at, 32)
    once { st best[cta] <- mx; st top[cta] <- place }
  }
}
kernel scale {
  grid (M)
  role all: warps 2 {
    let b = ld best[cta]
    for i in thread .. N step 64 { st y[cta, i] <- (ld x[cta, i]) - b }
  }
}
