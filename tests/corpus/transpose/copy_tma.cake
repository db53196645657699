// y = x by the copy engine alone: one warp loads boxes into a ring, another stores them; no thread
// touches an element.
program copy_tma target sm_90
dim M in 0..=65535, N in 8..=65536
param BM in {16, 32, 64} = 32
param STAGES in {2, 4, 6} = 4
const BN = 128
in x: bf16[M, N]
out y: bf16[M, N]
where N % 8 == 0
kernel boxes {
  let across = ceildiv(N, BN)
  let total = across*ceildiv(M, BM)
  grid (min(SMS, total))
  ring box[STAGES] { v: bf16[BM, BN] } from load to store
  iter work() -> (i32, i32) {
    for t in cta..total step ctas { yield t / across * BM, t % across * BN }
  }
  role load: warps 1 {
    var i = 0
    for (m, n) in work() {
      acquire box@i
      tma.load box.v@i <- x[m:+BM, n:+BN] cache evict_first
      commit box@i
      i += 1
    }
  }
  role store: warps 1 {
    var i = 0
    for (m, n) in work() {
      wait box@i
      once { tma.store y[m:+BM, n:+BN] <- box.v@i; tma.commit; tma.wait.read 0 }
      release box@i
      i += 1
    }
  }
}
