// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f0(a: i32) -> i32 { return a + a }
    fn f1(a: i32) -> i32 { return f0(f0(a)) }
    fn f2(a: i32) -> i32 { return f1(f1(a)) }
    fn f3(a: i32) -> i32 { return f2(f2(a)) }
    fn f4(a: i32) -> i32 { return f3(f3(a)) }
    fn f5(a: i32) -> i32 { return f4(f4(a)) }
    fn f6(a: i32) -> i32 { return f5(f5(a)) }
    fn f7(a: i32) -> i32 { return f6(f6(a)) }
    fn f8(a: i32) -> i32 { return f7(f7(a)) }
    fn f9(a: i32) -> i32 { return f8(f8(a)) }
    fn f10(a: i32) -> i32 { return f9(f9(a)) }
    fn f11(a: i32) -> i32 { return f10(f10(a)) }
    while f11(lane) < 4 { }
  }
}
//--- expected
// error[CK6102]: the elaborated program needs 2097151 nodes up to here; the limit is 1048576
//   --> fail_expression_explodes.cake:10:35
//   10 |     fn f0(a: i32) -> i32 { return a + a }
//      |                                   ^^^^^
//   11 |     fn f1(a: i32) -> i32 { return f0(f0(a)) }
//      |                                   --------- in the inlined call of `f0` here
//   12 |     fn f2(a: i32) -> i32 { return f1(f1(a)) }
//      |                                   --------- in the inlined call of `f1` here
//   13 |     fn f3(a: i32) -> i32 { return f2(f2(a)) }
//      |                                      ----- in the inlined call of `f2` here
//   14 |     fn f4(a: i32) -> i32 { return f3(f3(a)) }
//      |                                      ----- in the inlined call of `f3` here
//   15 |     fn f5(a: i32) -> i32 { return f4(f4(a)) }
//      |                                   --------- in the inlined call of `f4` here
//   16 |     fn f6(a: i32) -> i32 { return f5(f5(a)) }
//      |                                      ----- in the inlined call of `f5` here
//   why: each call of a fn or iter is inlined, so calls that call others twice double the program
