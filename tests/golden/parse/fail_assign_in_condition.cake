// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
where N = 8
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let a = 1
    if a = 1 { st y[0] <- 1.0 }
    while a = 2 { }
    if a == 1 { }
  }
}
//--- expected
// error[CK0033]: `=` stands inside a condition
//   --> fail_assign_in_condition.cake:6:9
//    6 | where N = 8
//      |         ^
//   why: assignment is a statement; equality is `==`
//   fix (machine): write `==`
//     6:9: `=` -> `==`
//
// error[CK0033]: `=` stands inside a condition
//   --> fail_assign_in_condition.cake:11:10
//   11 |     if a = 1 { st y[0] <- 1.0 }
//      |          ^
//   why: assignment is a statement; equality is `==`
//   fix (machine): write `==`
//     11:10: `=` -> `==`
//
// error[CK0033]: `=` stands inside a condition
//   --> fail_assign_in_condition.cake:12:13
//   12 |     while a = 2 { }
//      |             ^
//   why: assignment is a statement; equality is `==`
//   fix (machine): write `==`
//     12:13: `=` -> `==`
