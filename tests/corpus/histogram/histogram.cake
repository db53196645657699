// Counts of bytes. Every CTA counts into COPIES tables of its own, so that threads that meet one value
// seldom meet one word, and adds them to the result once.
program histogram target sm_80
dim N in 0..=1073741824
param WARPS in {4, 8, 16} = 8
param COPIES in {1, 2, 4, 8} = 4
in x: u8[N]
out h: u32[256]
kernel clear {
  grid (1)
  role main: warps 8 { st h[thread] <- 0 }
}
kernel count {
  const T = 32*WARPS
  grid (2*SMS)
  smem table: u32[COPIES, 256]
  role main: warps WARPS {
    let copy = warp % COPIES
    for i in thread..COPIES*256 step T { st table[i / 256, i % 256] <- 0 }
    sync cta
    let groups = N / 16
    for g in cta*T + thread .. groups step 2*SMS*T {
      let v = ld.streaming x[g*16:+16]
      for e in 0..16 { red.add.relaxed.cta(table[copy, cvt.i32(v[e])], 1) }
    }
    if cta == 0 && thread < N % 16 {
      red.add.relaxed.cta(table[copy, cvt.i32(ld x[groups*16 + thread])], 1)
    }
    sync cta
    for b in thread..256 step T {
      var sum: u32 = 0
      for c in 0..COPIES { sum += ld table[c, b] }
      if sum > 0 { red.add.relaxed.gpu(h[b], sum) }
    }
  }
}
