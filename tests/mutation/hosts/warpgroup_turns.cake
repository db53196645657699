// y = x by two warpgroups that take turns at one buffer, EACH rows a turn.
program warpgroup_turns target sm_90
dim M in 1..=4, N in 1..=8
param PER in {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12} = 1
param EACH in {1, 2, 3, 4, 5, 6, 7, 8, 9, 10} = 2
in x: f32[M, N*EACH, 128*PER]
out y: f32[M, N*EACH, 128*PER]
kernel run {
  grid (M)
  smem buf: f32[128*PER]
  barrier turn[2] threads 256
  role math: warps 8 {
    let at = thread % 128
    if wg == 1 { bar.arrive turn[0] }  // warpgroup 0 goes first
    for n in 0..N {
      if n % 2 == wg {
        bar.sync turn[wg]
        for e in 0..EACH {
          let row = n*EACH + e
          for k in 0..PER { st buf[k*128 + at] <- ld x[cta, row, k*128 + at] }
          sync wg
          for k in 0..PER { st y[cta, row, k*128 + at] <- ld buf[k*128 + 127 - at] }
          sync wg
        }
        bar.arrive turn[1-wg]
      }
    }
    if N % 2 == wg { bar.sync turn[wg] }  // every arrival is taken
  }
}
