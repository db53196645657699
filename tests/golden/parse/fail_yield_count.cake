// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  iter none() -> i32 { let a = 1 }
  iter two() -> i32 { yield 1; if N > 1 { yield 2 } }
  iter one() -> i32 { fn f() -> i32 { return 1 }; for i in 0..4 { yield i } }
  role main: warps 4 {
    let a = 1
  }
}
//--- expected
// error[CK0056]: iter `none` has 0 yields; it needs exactly 1
//   --> fail_yield_count.cake:8:8
//    8 |   iter none() -> i32 { let a = 1 }
//      |        ^^^^
//   why: the body of the `for` that uses an iter takes the place of its yield
//
// error[CK0056]: iter `two` has 2 yields; it needs exactly 1
//   --> fail_yield_count.cake:9:8
//    9 |   iter two() -> i32 { yield 1; if N > 1 { yield 2 } }
//      |        ^^^
//   why: the body of the `for` that uses an iter takes the place of its yield
