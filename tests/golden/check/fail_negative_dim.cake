// mode: check
program p target sm_80
dim N in -5..=5
out y: f32[8]
kernel k { grid (1); role main: warps 1 { if lane < 8 { st y[lane] <- 1.0 } } }
//--- expected
// error[CK1240]: `N` may be -5, and no dim is negative
//   --> fail_negative_dim.cake:3:10
//    3 | dim N in -5..=5
//      |          ^^^^^^
//   why: a dim is the extent of tensors, grids and loops; what may be negative is an `arg`
//   fix (machine): let `N` begin at 0
//     3:10: `-5` -> `0`
