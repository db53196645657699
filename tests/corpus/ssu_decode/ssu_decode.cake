// One step of the recurrence. 16 lanes have a row of the state, each four columns of either half; PER
// rows are loaded before the first is used.
program ssu_decode target sm_80
dim B in 0..=65535, H in 1..=2048, G in 1..=64, SLOTS in 0..=131071
const P = 64
const N = 128
param PER in {1, 2, 4, 8} = 4  // rows under way a thread
inout state: f32[SLOTS, H, P, N]
in x: bf16[B, H, P], dt: f32[B, H], a: f32[H], bm: bf16[B, G, N], cm: bf16[B, G, N], dsk: f32[H]
in slots: i32[B]
out y: bf16[B, H, P]
where H % G == 0, slots in -1..SLOTS, distinct(slots)
kernel update {
  grid (H, B)
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
      for k in 0..P/8/PER {
        var low: f32[4*PER] = 0.0
        var high: f32[4*PER] = 0.0
        for p in 0..PER {
          let row = (k*PER + p)*8 + r
          let v = ld own[row, c:+4]
          let w = ld own[row, 64 + c:+4]
          for e in 0..4 { low[p*4 + e] = v[e]; high[p*4 + e] = w[e] }
        }
        for p in 0..PER {
          let row = (k*PER + p)*8 + r
          let xv = cvt.f32(ld x[b, h, row])
          var s0: f32[4] = 0.0
          var s1: f32[4] = 0.0
          var sum: f32 = 0.0
          for e in 0..4 {
            s0[e] = fma(low[p*4 + e], decay, step*xv * cvt.f32(b0[e]))
            s1[e] = fma(high[p*4 + e], decay, step*xv * cvt.f32(b1[e]))
            sum = fma(s0[e], cvt.f32(c0[e]), sum)
            sum = fma(s1[e], cvt.f32(c1[e]), sum)
          }
          st own[row, c:+4] <- s0
          st own[row, 64 + c:+4] <- s1
          sum = lanes.sum(sum, 16)
          if lane % 16 == 0 { st y[b, h, row] <- cvt.bf16(fma(ld dsk[h], xv, sum)) }
        }
      }
    } else if thread < P {
      st y[b, h, thread] <- 0.0
    }
  }
}
