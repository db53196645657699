// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    y.T = 1
    r@k = 2
    max(1) += 3
    var a: f32[4] = 0.0; a[1] = 2.0
  }
}
//--- expected
// error[CK0053]: only a name with indices can be assigned
//   --> fail_assign_target.cake:9:5
//    9 |     y.T = 1
//      |     ^^^
//   why: memory is written by an instruction such as `st V <- e`
//
// error[CK0053]: only a name with indices can be assigned
//   --> fail_assign_target.cake:10:5
//   10 |     r@k = 2
//      |     ^^^
//   why: memory is written by an instruction such as `st V <- e`
//
// error[CK0053]: only a name with indices can be assigned
//   --> fail_assign_target.cake:11:5
//   11 |     max(1) += 3
//      |     ^^^^^^
//   why: memory is written by an instruction such as `st V <- e`
