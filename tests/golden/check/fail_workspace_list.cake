// mode: check
program p target sm_80
in x: f32[32]
out y: f32[32]
workspace t: f32[32], cnt: i32[1] zero
kernel k {
  grid (1)
  role main: warps 1 {
    once { red.add.relaxed.gpu(cnt[0], 1) }
    st t[lane] <- ld x[lane]
    st y[lane] <- ld t[lane]
  }
}
//--- expected
// error[CK0062]: a `workspace` declares one tensor
//   --> fail_workspace_list.cake:5:21
//    5 | workspace t: f32[32], cnt: i32[1] zero
//      |                     ^
//   why: its `zero` stands behind the tensor that it clears
//   fix (maybe): write one `workspace` a tensor
//     5:21: `, ` -> `\nworkspace `
