// mode: tree
program p target sm_100a
alias x, y
dim N in 1..=4096, M
param BN in {64, 128} = 128
param S in 2..6 = 4
const C = 4
in static x: f32[N, M] stride (ss, 1) if M > 1
inout y: bf16[N]
arg scale: f32, plan: i32[8]
workspace tick: u32[N] zero
where N % 4 == 0, x in 0..M if N > 1
fn f(a: i32, b: inout frag, c: const bool) -> i32 { return a + C }
kernel k pdl when N > 0 {
  numerics contract ftz
  cluster 2
  grid (SMS, 2)
  let T = N / C
  const D = 2*C
  if C == 4 { smem extra: f32[4] }
  smem slot[5] {
    v: bf16[C, D] swizzle 128
    either { q: bf16[C] rows } or { qd: f32[C] padded 4; kd: bf16[C] }
  }
  smem out: bf16[C, D] swizzle 64
  tmem acc: f32[128, D]
  either { tmem u: f32[D, C] } or { smem w: f32[C] }
  ring ab[S] { a: bf16[64, 64] swizzle 128 } from load, aux to math cluster full 2 empty 4
  event raw[5] count 1
  barrier turn[2] threads 256
  dynamic iter work() -> (i32, i32) { for t in cta..N step ctas { yield t, t % 2 } }
  role math: warps 4*C regs 232 {
    var s: wgmma f32[64, BN]; var p: tmem.32x32b f32[128, 32]; var h: f32[4] = 0.0
    for (m, b) in work() {
      wait.cluster ab@(m - 1); release ab@m at 1
      wgmma s += ab.a@m[wg*64:+64, :] * ab.a@m.T zero m == 0
      umma.2cta acc = slot.v@m * slot.v@m scale u, w
      for (r, e) in s { s[r, e] *= 2.0 }
      tma.load ab.a@m <- x[b:+64, :] on raw@m multicast 3 cache evict_first
      expect raw@m bytes 1024
      tma.wait.read 0; tmem.wait ld; sync role; fence async; wgmma.commit
      st y[m] <- ld.streaming x[m, 0] else 0.0
      let old = atomic.add.acq_rel.gpu(tick[m], 1); red.add.relaxed.gpu(tick[0], 1)
      if m > 0 { elect { arrive raw@m } } else if m < -1 { once { pdl.wait } } else { }
      while !test(raw@m) { }
    }
  }
}
//--- expected
// program p target sm_100a
//   alias x y
//   dim N 1..=4096
//   dim M
//   param BN { 64 128 } = 128
//   param S 2..6 = 4
//   const C = 4
//   in static x: f32[ N M ] stride ss 1 if (> M 1)
//   inout y: bf16[ N ]
//   arg scale: f32
//   arg plan: i32[ 8 ]
//   workspace zero tick: u32[ N ]
//   where (== (% N 4) 0)
//   where x 0..M if (> N 1)
//   fn f( a: i32 b: inout frag c: const bool ) -> i32
//     return (+ a C)
//   kernel k pdl when (> N 0)
//     numerics contract ftz
//     cluster 2
//     grid SMS 2
//     let T = (/ N C)
//     const D = (* 2 C)
//     if (== C 4)
//       smem extra: f32[ 4 ]
//     smem slot[5]
//       field v: bf16[ C D ] swizzle 128
//       either
//         field q: bf16[ C ] rows
//       or
//         field qd: f32[ C ] padded 4
//         field kd: bf16[ C ]
//     smem out: bf16[ C D ] swizzle 64
//     tmem acc: f32[ 128 D ]
//     either
//       tmem u: f32[ D C ]
//     or
//       smem w: f32[ C ]
//     ring ab[S] from load aux to math cluster full 2 empty 4
//       field a: bf16[ 64 64 ] swizzle 128
//     event raw[5] count 1
//     barrier turn[2] threads 256
//     dynamic iter work( ) -> i32 i32
//       for t cta..N step ctas
//         yield t (% t 2)
//     role math warps (* 4 C) regs 232
//       var s: wgmma f32[ 64 BN ]
//       var p: tmem.32x32b f32[ 128 32 ]
//       var h: f32[ 4 ] = f:0.0
//       for m b in work(call)
//         op wait .cluster operand ab@(- m 1)
//         op release operand ab@m at 1
//         op wgmma to s += left ab.a@m[(* wg 64):+64, :] right ab.a@m.T zero (== m 0)
//         op umma .2cta to acc left slot.v@m right slot.v@m scale u and w
//         for r e in s
//           assign *= s[r, e] f:2.0
//         op tma.load to ab.a@m from x[b:+64, :] on raw@m multicast 3 cache evict_first
//         op expect operand raw@m bytes 1024
//         op tma.wait .read operand 0
//         op tmem.wait ld
//         op sync role
//         op fence async
//         op wgmma.commit
//         op st to y[m] from (ld.streaming x[m, 0] f:0.0)
//         let old = atomic.add.acq_rel.gpu(call tick[m] 1)
//         op red.add .relaxed .gpu call red.add.relaxed.gpu(call tick[0] 1)
//         if (> m 0)
//           elect
//             op arrive operand raw@m
//         else
//           if (< m (- 1))
//             once
//               op pdl.wait
//           else
//         while (! test(call raw@m))
