// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  smem s[2] { a: f32[64]; b: f32[64] }
  role main: warps 4 {
    st s.c@0[lane] <- 0.0
    st s@0[lane] <- 0.0
  }
}
//--- expected
// error[CK1036]: `s` has no field `c`
//   --> fail_no_field.cake:11:9
//   11 |     st s.c@0[lane] <- 0.0
//      |         ^^
//   why: the fields of a slot are those in its braces
//
// error[CK1028]: `s` has fields and none is named
//   --> fail_no_field.cake:12:8
//   12 |     st s@0[lane] <- 0.0
//      |        ^^^^^^^^^
//   why: an access names one field of a slot: `X.field@k[..]`
