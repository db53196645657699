// mode: gates
// y = x w^T by a loading warp and two warpgroups that multiply; each CTA takes tiles in turn.
program gemm_bf16 target sm_90a
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
param GROUP in {4, 8} = 8
param BN in {128, 256} = 256
param STAGES in 2..=6 = 4
const BM = 128
in x: bf16[M, K], w: bf16[N, K]
out y: bf16[M, N]
where K % 8 == 0, N % 8 == 0
kernel gemm {
  grid (SMS)
  let KT = ceildiv(K, 64)
  let MT = ceildiv(M, BM)
  let NT = ceildiv(N, BN)
  ring ab[STAGES] { a: bf16[BM, 64] swizzle 128; b: bf16[BN, 64] swizzle 128 } from load to math
  iter work() -> (i32, i32) {  // GROUP row tiles side by side, so that a column of them stays in L2
    for t in cta..MT*NT step ctas {
      let width = GROUP*NT
      let first = t / width * GROUP
      let rows = min(MT - first, GROUP)
      yield (first + t % width % rows)*BM, t % width / rows * BN
    }
  }
  role load: warps 1 regs 40 {
    var it = 0
    for (m, n) in work() {
      for k in 0..KT {
        acquire ab@it
        tma.load ab.a@it <- x[m:+BM, k*64:+64]
        tma.load ab.b@it <- w[n:+BN, k*64:+64]
        commit ab@it
        it += 1
      }
    }
  }
  role math: warps 8 regs 232 {
    var it = 0
    var acc: wgmma f32[64, BN]
    for (m, n) in work() {
      for k in 0..KT {
        wait ab@it
        wgmma acc += ab.a@it[wg*64:+64, :] * ab.b@it.T zero k == 0
        wgmma.commit
        wgmma.wait 1
        if k > 0 { release ab@(it-1) }
        it += 1
      }
      wgmma.wait 0
      release ab@(it-1)
      for r in 0..acc.rows {
        for e in 0..acc.cols step 2 {
          let row = m + wg*64 + acc.row(r)
          let col = n + acc.col(e)
          if row < M && col < N { st y[row, col:+2] <- cvt.bf16([acc[r, e], acc[r, e + 1]]) }
        }
      }
    }
  }
}
//--- expected
// bounds        proved         23 of 23 accesses and indices proved, for every shape that the guard admits
// alignment     proved         7 of 7 vector accesses proved, for every shape that the guard admits
// overflow      proved         39 of 39 index operations proved, for every shape that the guard admits
// races         bounded        39 shapes run on the machine, all CTAs, one schedule; 3 more without arithmetic; 41 of 55 boundary values of dims and args shown; the loop in line 19 not closed: a loop inside whose trips are no constant, so known of at most 8 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        39 shapes run on the machine, all CTAs, one schedule; 3 more without arithmetic; 41 of 55 boundary values of dims and args shown; the loop in line 19 not closed: a loop inside whose trips are no constant, so known of at most 8 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   bounded        39 shapes run on the machine, all CTAs, one schedule; 3 more without arithmetic; 41 of 55 boundary values of dims and args shown; the loop in line 19 not closed: a loop inside whose trips are no constant, so known of at most 8 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
