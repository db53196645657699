// mode: check
program p target sm_80
dim N in 1..=8
param A in 0..1000000000 = 4
kernel k { grid (N); role main: warps 1 { let a = 1 } }
//--- expected
// error[CK6101]: the domain of `A` has 1000000000 values; the limit is 4096
//   --> fail_domain_too_large.cake:4:12
//    4 | param A in 0..1000000000 = 4
//      |            ^^^^^^^^^^^^^
//   why: one domain is listed in full; products of domains are enumerated lazily and may be larger
