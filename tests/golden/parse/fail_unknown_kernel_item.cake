// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  gird (N)
  barier b threads 64
  foo bar
  5
  role main: warps 1 { let a = 1 }
}
//--- expected
// error[CK0022]: `gird` begins no item of a kernel
//   --> fail_unknown_kernel_item.cake:7:3
//    7 |   gird (N)
//      |   ^^^^
//   why: items are grid, cluster, ctas_per_sm, numerics, const, let, fn, iter, smem, tmem, either, ring, event, barrier, tensormap, role, if
//   fix (maybe): write `grid`
//     7:3: `gird` -> `grid`
//
// error[CK0022]: `barier` begins no item of a kernel
//   --> fail_unknown_kernel_item.cake:8:3
//    8 |   barier b threads 64
//      |   ^^^^^^
//   why: items are grid, cluster, ctas_per_sm, numerics, const, let, fn, iter, smem, tmem, either, ring, event, barrier, tensormap, role, if
//   fix (maybe): write `barrier`
//     8:3: `barier` -> `barrier`
//
// error[CK0022]: `foo` begins no item of a kernel
//   --> fail_unknown_kernel_item.cake:9:3
//    9 |   foo bar
//      |   ^^^
//   why: items are grid, cluster, ctas_per_sm, numerics, const, let, fn, iter, smem, tmem, either, ring, event, barrier, tensormap, role, if
//
// error[CK0022]: `5` begins no item of a kernel
//   --> fail_unknown_kernel_item.cake:10:3
//   10 |   5
//      |   ^
//   why: items are grid, cluster, ctas_per_sm, numerics, const, let, fn, iter, smem, tmem, either, ring, event, barrier, tensormap, role, if
