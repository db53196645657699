// One step of the recurrence with STAGES - 1 blocks of 8 rows of the state on their way to shared memory.
// A thread reads only what it has copied itself, so it waits for its own groups and for nobody else.
program ssu_decode_async target sm_80
dim B in 0..=65535, H in 1..=2048, G in 1..=64, SLOTS in 0..=131071
const P = 64
const N = 128
const R = 8
param STAGES in 2..=6 = 4
inout state: f32[SLOTS, H, P, N]
in x: bf16[B, H, P], dt: f32[B, H], a: f32[H], bm: bf16[B, G, N], cm: bf16[B, G, N], dsk: f32[H]
in slots: i32[B]
out y: bf16[B, H, P]
where H % G == 0, slots in -1..SLOTS, distinct(slots)
kernel update {
  grid (H, B)
  smem buf[STAGES]: f32[R, N]
  role main: warps 4 {
    let h = cta.x
    let b = cta.y
    let r = thread / 16
    let c = thread % 16 * 4
    let slot = ld slots[b]
    if slot >= 0 {
      let own = state[slot, h, :, :]
      let step = ld dt[b, h]
      let decay = exp(step * (ld a[h]))
      let group = h / (H / G)
      let b0 = ld bm[b, group, c:+4]
      let b1 = ld bm[b, group, 64 + c:+4]
      let c0 = ld cm[b, group, c:+4]
      let c1 = ld cm[b, group, 64 + c:+4]
      fn fetch(k: i32) {
        if k < P/R {
          cp.async buf@k[r, c:+4] <- own[k*R + r, c:+4]
          cp.async buf@k[r, 64 + c:+4] <- own[k*R + r, 64 + c:+4]
        }
        cp.async.commit
      }
      for k in 0..STAGES - 1 { fetch(k) }
      for k in 0..P/R {
        cp.async.wait STAGES - 2
        var s0 = ld buf@k[r, c:+4]
        var s1 = ld buf@k[r, 64 + c:+4]
        let xv = cvt.f32(ld x[b, h, k*R + r])
        var sum: f32 = 0.0
        for e in 0..4 {
          s0[e] = fma(s0[e], decay, step*xv * cvt.f32(b0[e]))
          s1[e] = fma(s1[e], decay, step*xv * cvt.f32(b1[e]))
          sum = fma(s0[e], cvt.f32(c0[e]), sum)
          sum = fma(s1[e], cvt.f32(c1[e]), sum)
        }
        st own[k*R + r, c:+4] <- s0
        st own[k*R + r, 64 + c:+4] <- s1
        sum = lanes.sum(sum, 16)
        if lane % 16 == 0 { st y[b, h, k*R + r] <- cvt.bf16(fma(ld dsk[h], xv, sum)) }
        fetch(k + STAGES - 1)
      }
      cp.async.wait 0
    } else if thread < P {
      st y[b, h, thread] <- 0.0
    }
  }
}
