// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role a: warps 4 { sync cta }
  role b: warps 4 { sync role }
}
//--- expected
// error[CK1052]: `sync cta` in kernel `k`, which has several roles
//   --> fail_sync_cta_of_several_roles.cake:9:21
//    9 |   role a: warps 4 { sync cta }
//      |                     ^^^^^^^^
//   why: a barrier of the whole CTA would tie roles that run different code; use events or a `barrier` between them
