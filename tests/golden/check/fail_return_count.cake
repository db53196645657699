// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f() -> i32 { return 1, 2 }
    let b = f()
  }
}
//--- expected
// error[CK1090]: 2 values where 1 are declared
//   --> fail_return_count.cake:10:21
//   10 |     fn f() -> i32 { return 1, 2 }
//      |                     ^^^^^^^^^^^
//   why: the results of a fn or iter are declared after `->`
