// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f0() { st y[cta, 0] <- 0.0 }
    fn f1() { f0(); f0() }
    fn f2() { f1(); f1() }
    fn f3() { f2(); f2() }
    fn f4() { f3(); f3() }
    fn f5() { f4(); f4() }
    fn f6() { f5(); f5() }
    fn f7() { f6(); f6() }
    fn f8() { f7(); f7() }
    fn f9() { f8(); f8() }
    fn f10() { f9(); f9() }
    fn f11() { f10(); f10() }
    fn f12() { f11(); f11() }
    fn f13() { f12(); f12() }
    fn f14() { f13(); f13() }
    fn f15() { f14(); f14() }
    fn f16() { f15(); f15() }
    fn f17() { f16(); f16() }
    fn f18() { f17(); f17() }
    fn f19() { f18(); f18() }
    fn f20() { f19(); f19() }
    fn f21() { f20(); f20() }
    fn f22() { f21(); f21() }
    fn f23() { f22(); f22() }
    f23()
  }
}
//--- expected
// error[CK6102]: the elaborated program needs 1048578 nodes up to here; the limit is 1048576
//   --> fail_inlining_explodes.cake:10:18
//   10 |     fn f0() { st y[cta, 0] <- 0.0 }
//      |                  ^^^^^^^^^
//   11 |     fn f1() { f0(); f0() }
//      |                     ---- in the inlined call of `f0` here
//   12 |     fn f2() { f1(); f1() }
//      |                     ---- in the inlined call of `f1` here
//   13 |     fn f3() { f2(); f2() }
//      |                     ---- in the inlined call of `f2` here
//   14 |     fn f4() { f3(); f3() }
//      |                     ---- in the inlined call of `f3` here
//   15 |     fn f5() { f4(); f4() }
//      |               ---- in the inlined call of `f4` here
//   16 |     fn f6() { f5(); f5() }
//      |               ---- in the inlined call of `f5` here
//   why: each call of a fn or iter is inlined, so calls that call others twice double the program
