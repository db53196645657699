// mode: elaborate
program language target sm_80
dim M in 1..=4096, N in 8..=1024, D in 1..=64
param D in {16, 32} = 16
param WIDE in {0, 1} = 0
const HALF = 0.5
in a: f32[M, N], b: f32[M, N] stride (sb, 1), ids: i32[M], flags: u8[M] if WIDE == 1
inout state: f32[M, D]
out y: bf16[M, N]
workspace part: f32[2*SMS, D] zero
arg scale: f32, rows: i32
alias a, b
where N % 8 == 0, rows in 1..=4096, sb % 4 == 0, ids in -1..M, distinct(ids), ids[i] in 0..rows if a[i] < 3
fn twice(v: f32) -> f32 { return v + v }
fn clamp(v: i32, low: const i32) -> i32 { if v < low { return low } else { return v } }
kernel first {
  numerics contract
  let tiles = ceildiv(N, 128)
  let row = ld ids[cta.y]
  grid (min(tiles, SMS), M)
  smem stage[2]: f32[4, 32] padded 4
  smem pair { lo: f32[D]; hi: bf16[D] }
  barrier turn[2] threads 64
  iter tile() -> (i32, bool) {
    var t = cta.x
    while t < tiles { yield t, t + 1 == tiles; t += ctas }
  }
  role load: warps 1 {
    for (t, last) in tile() {
      let k = t % 2
      let band = stage@k[:, lane:+1]
      for r in 0..4 { st band[r, 0] <- ld a[cta.y, t*128 + r*32 + lane] else 0.0 }
      if last { elect { st pair.lo[0] <- 1.0 } }
      bar.arrive turn[k]
    }
    if WIDE == 1 { let f = ld flags[cta.y]; st part[0, 0] <- cvt.f32(cvt.i32(f)) }
  }
  role math: warps 1 regs 64 {
    var acc: f32[4] = 0.0
    var best: f32 = -inf
    var at: i32 = 0
    for (t, last) in tile() {
      bar.sync turn[t % 2]
      for r in 0..4 unroll 4 {
        let v = ld stage@(t % 2)[r, lane]
        acc[r] += v*scale
        acc[r] = acc[r] - v*HALF
        let (bv, bi) = lanes.argmax(v, t*4 + r, 32)
        if bv > best { best = bv; at = bi }
      }
    }
    fn positive(v: f32) -> bool { return v > 0.0 }
    let copy = acc
    if row >= 0 && lane < 8 {
      st state[row, lane] <- select(positive(copy[0]), twice(acc[1]), best)
    }
    once { st y[cta.y, 0:+4] <- cvt.bf16(copy) }
    st y[cta.y, clamp(at, 8)] <- 0.0
  }
}
kernel second when rows > 1 {
  grid (M)
  role all: warps 2 {
    var x: u32 = 0xff
    var wide: i64 = lane
    for i in 0..=3 step 2 { x = x << 2 | 1; wide += i }
    sync cta
    st state[cta, cvt.i32(x % 16)] <- fma(scale, 2.0, cvt.f32(wide))
  }
}
//--- expected
// program language target sm_80
// param D = 16
// param WIDE = 0
// dim M: i32 in 1..=4096
// dim N: i32 in 8..=1024
// dim D: i32 in 16..=16
// stride sb: i64
// sms SMS: i32 in 1..=1024
// arg scale: f32
// arg rows: i32 in 1..=4096
// in a: f32[M, N] stride (cvt.i64(N), 1:i64)
// in b: f32[M, N] stride (sb, 1:i64)
// in ids: i32[M] stride (1:i64)
// inout state: f32[M, 16] stride (16:i64, 1:i64) written
// out y: bf16[M, N] stride (cvt.i64(N), 1:i64) written
// workspace part: f32[(2 * SMS), 16] stride (16:i64, 1:i64) zero
// alias a, b
// guard (D == 16)
// guard ((N % 8) == 0)
// guard ((rows >= 1) && (rows <= 4096))
// guard ((sb % 4:i64) == 0:i64)
// contract ids in -1..M
// contract distinct(ids)
// contract ids[i] in 0..rows if a[i] < 3
// kernel first contract
//   grid (min(ceildiv(N, 128), SMS), M)
//   smem stage[2]: f32[4, 32] padded 4
//   smem pair.lo[1]: f32[16] rows 0
//   smem pair.hi[1]: bf16[16] rows 0
//   barrier turn[2] threads 64
//   let tiles%0: i32 launch = ceildiv(N, 128)
//   let row%1: i32 cta = (ld ids[cta.y])
//   role load warps 1 regs 0
//     var t%2: i32 cta = cta.x
//     while (t%2 < tiles%0)
//       let t%3: i32 cta = t%2
//       let last%4: bool cta = ((t%2 + 1) == tiles%0)
//       let k%5: i32 cta = (t%3 % 2)
//       for r%6: i32 const in 0 .. 4 step 1
//         st stage@(k%5)[r%6, lane] <- (ld a[cta.y, (((t%3 * 128) + (r%6 * 32)) + lane)] else 0:f32)
//       if last%4
//         elect
//           st pair.lo[0] <- 1:f32
//       bar.arrive turn[k%5]
//       t%2 = (t%2 + ctas)
//     if false
//       dead let f%7: u8 const = (ld [cta.y])
//       dead st part[0, 0] <- cvt.f32(cvt.i32(f%7))
//   role math warps 1 regs 64
//     var acc%8: f32[4] lane = [0:f32, 0:f32, 0:f32, 0:f32]
//     var best%9: f32 warp = -inf:f32
//     var at%10: i32 warp = 0
//     var t%11: i32 cta = cta.x
//     while (t%11 < tiles%0)
//       let t%12: i32 cta = t%11
//       let last%13: bool cta = ((t%11 + 1) == tiles%0)
//       bar.sync turn[(t%12 % 2)]
//       for r%14: i32 const in 0 .. 4 step 1 unroll registers
//         let v%15: f32 lane = (ld stage@((t%12 % 2))[r%14, lane])
//         acc%8[r%14] = fma(v%15, scale, acc%8[r%14])
//         acc%8[r%14] = fma(-v%15, 0.5:f32, acc%8[r%14])
//         let (bv%16: f32 warp, bi%17: i32 warp) = lanes.argmax(v%15, ((t%12 * 4) + r%14); 32)
//         if (bv%16 > best%9)
//           best%9 = bv%16
//           at%10 = bi%17
//       t%11 = (t%11 + ctas)
//     let copy%18: f32[4] lane = acc%8
//     if ((row%1 >= 0) && (lane < 8))
//       st state[row%1, lane] <- select((copy%18[0] > 0:f32), (acc%8[1] + acc%8[1]), best%9)
//     once
//       st y[cta.y, 0:+4] <- cvt.bf16(copy%18)
//     let v%19: i32 warp = at%10
//     var clamp_result%20: i32 warp
//     if (v%19 < 8)
//       clamp_result%20 = 8
//     else
//       clamp_result%20 = v%19
//     st y[cta.y, clamp_result%20] <- 0:bf16
// kernel second
//   when (rows > 1)
//   grid (M)
//   role all warps 2 regs 0
//     var x%0: u32 const = 255:u32
//     var wide%1: i64 lane = cvt.i64(lane)
//     for i%2: i32 const in 0 .. 4 step 2
//       x%0 = ((x%0 << 2) | 1:u32)
//       wide%1 = (wide%1 + cvt.i64(i%2))
//     sync cta
//     st state[cta, cvt.i32((x%0 % 16:u32))] <- fma(scale, 2:f32, cvt.f32(wide%1))
