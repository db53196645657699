// y = x, turned and turned back over the whole grid, then handed on: a barrier of the grid, of
// warpgroups, of a role, and numbered ones.
program copy_meetings target sm_80
dim M in 0..=65535, N in 8..=65536
in x: bf16[M, N]
out y: bf16[M, N]
workspace turned: bf16[M, N]
workspace back: bf16[M, N]
where N % 8 == 0
kernel turn {
  grid (SMS)
  role main: warps 8 {
    for m in cta..M step ctas {
      for n in thread..N step 256 { st turned[M - 1 - m, N - 1 - n] <- ld x[m, n] }
      sync wg
    }
    grid.sync
    for m in cta..M step ctas {
      for n in thread..N step 256 { st back[m, n] <- ld turned[M - 1 - m, N - 1 - n] }
      sync cta
    }
  }
}
kernel hand {
  grid (SMS)
  smem line[3]: bf16[128]
  barrier ready[3] threads 192
  barrier taken[3] threads 192
  let across = ceildiv(N, 128)
  role give: warps 4 {
    var k = 0
    for m in cta..M step ctas {
      for at in 0..across {
        if k >= 3 { bar.sync taken[k % 3] }
        let n = at*128 + thread
        if n < N { st line@k[thread] <- ld back[m, n] }
        bar.arrive ready[k % 3]
        k += 1
      }
    }
  }
  role take: warps 2 {
    let rounds = ceildiv(max(M - cta, 0), ctas)*across
    var k = 0
    for m in cta..M step ctas {
      for at in 0..across {
        bar.sync ready[k % 3]
        for e in thread..128 step 64 {
          if at*128 + e < N { st y[m, at*128 + e] <- ld line@k[e] }
        }
        sync role
        if k + 3 < rounds { bar.arrive taken[k % 3] }
        k += 1
      }
    }
  }
}
