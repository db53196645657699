// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = lane
    a = 2
    let c = 1
    c += 1
  }
}
//--- expected
// error[CK1040]: `a` never changes
//   --> fail_assign_let.cake:11:5
//   11 |     a = 2
//      |     ^
//   10 |     let a = lane
//      |         - declared here
//   why: only a `var` is assigned to
//   fix (maybe): declare it as `var`
//     10:5: `let` -> `var`
//
// error[CK1040]: `c` never changes
//   --> fail_assign_let.cake:13:5
//   13 |     c += 1
//      |     ^
//   12 |     let c = 1
//      |         - declared here
//   why: only a `var` is assigned to
