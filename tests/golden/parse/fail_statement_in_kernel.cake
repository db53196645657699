// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (N)
  var a = 1
  for i in 0..4 { lett b = 1 }
  st y[0] <- 1.0
  smem s: f32[4]
  a = 2
  role main: warps 1 { let c = 1 }
}
//--- expected
// error[CK0045]: `var` is a statement outside a role
//   --> fail_statement_in_kernel.cake:8:3
//    8 |   var a = 1
//      |   ^^^
//   why: a kernel holds declarations; its threads run the bodies of its roles
//   fix (manual): put it in `role main: warps 4 { .. }`
//
// error[CK0020]: `lett` begins no statement and names no instruction
//   --> fail_statement_in_kernel.cake:9:19
//    9 |   for i in 0..4 { lett b = 1 }
//      |                   ^^^^
//   fix (maybe): write `let`
//     9:19: `lett` -> `let`
//
// error[CK0045]: `a` is a statement outside a role
//   --> fail_statement_in_kernel.cake:12:3
//   12 |   a = 2
//      |   ^
//   why: a kernel holds declarations; its threads run the bodies of its roles
//   fix (manual): put it in `role main: warps 4 { .. }`
