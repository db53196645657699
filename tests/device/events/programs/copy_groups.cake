// y = x by cp.async: even rows through a ring, whose commits carry the copies, odd rows through buffers
// whose events the copies arrive at by themselves.
program copy_groups target sm_80
dim M in 0..=65535, N in 8..=65536
in x: bf16[M, N]
out y: bf16[M, N]
where N % 8 == 0
kernel rows {
  let across = ceildiv(N, 256)
  let total = across*ceildiv(M, 2)
  grid (min(SMS, total))
  ring even[3] { v: bf16[256] } from load to store
  smem odd[2]: bf16[256]
  event full[2] count 32
  event free[2] count 1
  role load: warps 1 {
    var k = 0
    for t in cta..total step ctas {
      let m = t / across*2
      let n = t % across*256 + lane*8
      wait free@(k - 2)
      acquire even@k
      cp.async even.v@k[lane*8:+8] <- x[m, n:+8] else 0.0
      commit even@k
      cp.async odd@k[lane*8:+8] <- x[m + 1, n:+8] else 0.0
      cp.async.arrive full@k
      k += 1
    }
  }
  role store: warps 1 {
    var k = 0
    for t in cta..total step ctas {
      let m = t / across*2
      let n = t % across*256 + lane*8
      wait even@k
      if n < N { st y[m, n:+8] <- ld even.v@k[lane*8:+8] }
      release even@k
      wait full@k
      if n < N && m + 1 < M { st y[m + 1, n:+8] <- ld odd@k[lane*8:+8] }
      arrive free@k
      k += 1
    }
  }
}
