// y = x through three buffers that single threads hand over: the taker asks before it goes on, the giver
// waits for what was taken three uses before.
program copy_arrivals target sm_80
dim M in 0..=65535, N in 8..=65536
in x: bf16[M, N]
out y: bf16[M, N]
where N % 8 == 0
kernel rows {
  let across = ceildiv(N, 256)
  let total = across*M
  grid (min(SMS, total))
  smem piece[3]: bf16[256]
  event full[3] count 32
  event free[3] count 1
  role give: warps 1 {
    var k = 0
    for t in cta..total step ctas {
      let n = t % across*256 + lane*8
      wait free@(k - 3)
      if n < N { st piece@k[lane*8:+8] <- ld x[t / across, n:+8] }
      arrive.thread full@k
      k += 1
    }
  }
  role take: warps 1 {
    var k = 0
    for t in cta..total step ctas {
      let n = t % across*256 + lane*8
      while !test(full@k) {}
      if n < N { st y[t / across, n:+8] <- ld piece@k[lane*8:+8] }
      arrive free@k
      k += 1
    }
  }
}
