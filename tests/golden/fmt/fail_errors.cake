// mode: fmt
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel  k { gird (N) }
//--- expected
// error[CK0022]: `gird` begins no item of a kernel
//   --> fail_errors.cake:6:13
//    6 | kernel  k { gird (N) }
//      |             ^^^^
//   why: items are grid, cluster, ctas_per_sm, numerics, const, let, fn, iter, smem, tmem, either, ring, event, barrier, tensormap, role, if
//   fix (maybe): write `grid`
//     6:13: `gird` -> `grid`
