// mode: check
program p target sm_80
dim N in 1..=8
param P0 in 0..4096 = 4
param P1 in 0..4096 = 4
param P2 in 0..4096 = 4
param P3 in 0..4096 = 4
param P4 in 0..4096 = 4
param P5 in 0..4096 = 4
param P6 in 0..4096 = 4
param P7 in 0..4096 = 4
param P8 in 0..4096 = 4
param P9 in 0..4096 = 4
param P10 in 0..4096 = 4
param P11 in 0..4096 = 4
param P12 in 0..4096 = 4
param P13 in 0..4096 = 4
param P14 in 0..4096 = 4
param P15 in 0..4096 = 4
param P16 in 0..4096 = 4
param P17 in 0..4096 = 4
kernel k { grid (N); role main: warps 1 { let a = P17 } }
//--- expected
// error[CK6106]: with `P16` the domains of the program list more than 65536 values
//   --> fail_domains_too_large.cake:20:7
//   20 | param P16 in 0..4096 = 4
//      |       ^^^
//   why: domains are listed in full, one after the other
