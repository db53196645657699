// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    if lane == 0 { return 1 }
    iter g() -> i32 { if lane > 0 { return 2 }; yield 1 }
  }
}
//--- expected
// error[CK0058]: `return` stands outside a fn
//   --> fail_return_outside.cake:9:20
//    9 |     if lane == 0 { return 1 }
//      |                    ^^^^^^
//   why: roles run to their end: work is skipped by `if`
//
// error[CK0058]: `return` stands outside a fn
//   --> fail_return_outside.cake:10:37
//   10 |     iter g() -> i32 { if lane > 0 { return 2 }; yield 1 }
//      |                                     ^^^^^^
//   10 |     iter g() -> i32 { if lane > 0 { return 2 }; yield 1 }
//      |          - an iter hands on by `yield`
//   why: roles run to their end: work is skipped by `if`
