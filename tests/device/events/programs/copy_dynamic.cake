// y = x where CTAs draw rows: which one takes how many is up to the order of the draws.
program copy_dynamic target sm_80
dim M in 0..=65535, N in 8..=65536
in x: bf16[M, N]
out y: bf16[M, N]
where N % 8 == 0
kernel rows {
  grid (min(SMS, M))
  ring piece[3] { v: bf16[256] } from load to store
  dynamic iter work() -> (i32) { for m in cta..M step ctas { yield m } }
  let across = ceildiv(N, 256)
  role load: warps 1 {
    var k = 0
    for m in work() {
      for at in 0..across {
        let n = at*256 + lane*8
        acquire piece@k
        if n < N { st piece.v@k[lane*8:+8] <- ld x[m, n:+8] }
        commit piece@k
        if k < 16776960 { k += 1 }
      }
    }
  }
  role store: warps 1 {
    var k = 0
    for m in work() {
      for at in 0..across {
        let n = at*256 + lane*8
        wait piece@k
        if n < N { st y[m, n:+8] <- ld piece.v@k[lane*8:+8] }
        release piece@k
        if k < 16776960 { k += 1 }
      }
    }
  }
}
