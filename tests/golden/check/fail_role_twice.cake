// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role a: warps 4 { sync role }
  role a: warps 4 { sync role }
}
//--- expected
// error[CK1096]: role `a` is declared twice
//   --> fail_role_twice.cake:10:8
//   10 |   role a: warps 4 { sync role }
//      |        ^
//    9 |   role a: warps 4 { sync role }
//      |        - declared here
//   why: each role is one group of warps
