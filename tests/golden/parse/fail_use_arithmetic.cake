// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    for k in 0..N {
      wait r@k-1
      if k > 0 { release r@k - 1 }
      let v = ld r.h@k-1
      wait r@k+N*2
      arrive e@0+1 at 1
      wait r@(k-1)
    }
  }
}
//--- expected
// error[CK0031]: `@k` ends before the operator
//   --> fail_use_arithmetic.cake:10:14
//   10 |       wait r@k-1
//      |              ^^^
//   why: `@` takes a name, an integer or an expression in parentheses
//   fix (machine): write `@(k-1)`
//     10:14: `k-1` -> `(k-1)`
//
// error[CK0031]: `@k` ends before the operator
//   --> fail_use_arithmetic.cake:11:28
//   11 |       if k > 0 { release r@k - 1 }
//      |                            ^^^^^
//   why: `@` takes a name, an integer or an expression in parentheses
//   fix (machine): write `@(k - 1)`
//     11:28: `k - 1` -> `(k - 1)`
//
// error[CK0031]: `@k` ends before the operator
//   --> fail_use_arithmetic.cake:12:22
//   12 |       let v = ld r.h@k-1
//      |                      ^^^
//   why: `@` takes a name, an integer or an expression in parentheses
//   fix (maybe): write `@(k-1)`
//     12:22: `k-1` -> `(k-1)`
//
// error[CK0031]: `@k` ends before the operator
//   --> fail_use_arithmetic.cake:13:14
//   13 |       wait r@k+N*2
//      |              ^^^^^
//   why: `@` takes a name, an integer or an expression in parentheses
//   fix (maybe): write `@(k+N*2)`
//     13:14: `k+N*2` -> `(k+N*2)`
//
// error[CK0031]: `@0` ends before the operator
//   --> fail_use_arithmetic.cake:14:16
//   14 |       arrive e@0+1 at 1
//      |                ^^^
//   why: `@` takes a name, an integer or an expression in parentheses
//   fix (machine): write `@(0+1)`
//     14:16: `0+1` -> `(0+1)`
