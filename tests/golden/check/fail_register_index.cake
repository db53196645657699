// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    var a: f32[4] = 0.0
    a[lane] = 1.0
    var j = 0
    let b = a[j]
    let i = n + 1
    a[i] = 2.0
  }
}
//--- expected
// error[CK1066]: a register index that is not constant after unrolling
//   --> fail_register_index.cake:11:7
//   11 |     a[lane] = 1.0
//      |       ^^^^
//   why: registers have no addresses: the index of a register array must be known once the loops around it are unrolled
//
// error[CK1066]: a register index that is not constant after unrolling
//   --> fail_register_index.cake:13:15
//   13 |     let b = a[j]
//      |               ^
//   why: registers have no addresses: the index of a register array must be known once the loops around it are unrolled
//
// error[CK1066]: a register index that is not constant after unrolling
//   --> fail_register_index.cake:15:7
//   15 |     a[i] = 2.0
//      |       ^
//   14 |     let i = n + 1
//      |             - not a constant
//   why: registers have no addresses: the index of a register array must be known once the loops around it are unrolled
