// mode: elaborate
program p target sm_80
dim B in 1..=64, W in 1..=32, P in 1..=1000
in t: i32[B, W], n: i32[B], off: i32[B+1], x: f32[P]
arg plan: i32[4]
out y: f32[4]
where n in 0..=W, t[b, j] in 0..P if j < n[b], distinct(n)
where off[0] == 0, steps(off) in 0..=W, off[i] <= off[i+1]
where plan in 0..4, align(x) % 128 == 0
kernel k { grid (1); role main: warps 1 { once { st y[plan[lane % 4]] <- 1.0 } } }
//--- expected
// program p target sm_80
// dim B: i32 in 1..=64
// dim W: i32 in 1..=32
// dim P: i32 in 1..=1000
// arg plan: i32[4] in 0..=3
// in t: i32[B, W] stride (cvt.i64(W), 1:i64)
// in n: i32[B] stride (1:i64)
// in off: i32[(B + 1)] stride (1:i64)
// in x: f32[P] stride (1:i64) align 128
// out y: f32[4] stride (1:i64) written
// guard (plan[0] >= 0)
// guard (plan[0] < 4)
// guard (plan[1] >= 0)
// guard (plan[1] < 4)
// guard (plan[2] >= 0)
// guard (plan[2] < 4)
// guard (plan[3] >= 0)
// guard (plan[3] < 4)
// contract n in 0..=W
// contract t[b, j] in 0..P if j < n[b]
// contract distinct(n)
// contract off[0] == 0
// contract steps(off) in 0..=W
// contract off[i] <= off[i+1]
// kernel k
//   grid (1)
//   role main warps 1 regs 0
//     once
//       st y[plan[(lane % 4)]] <- 1:f32
