// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    yield 1
    fn f(a: i32) { yield a }
  }
}
//--- expected
// error[CK0057]: `yield` stands outside an iter
//   --> fail_yield_outside.cake:9:5
//    9 |     yield 1
//      |     ^^^^^
//
// error[CK0057]: `yield` stands outside an iter
//   --> fail_yield_outside.cake:10:20
//   10 |     fn f(a: i32) { yield a }
//      |                    ^^^^^
