// mode: check
program p target sm_80
out y: f32[4]
kernel k ( grid (1)
  role main: warps 1 { st y[lane] <- 1.0 }
}
//--- expected
// error[CK0040]: expected `{` to open the body of `kernel`
//   --> fail_lost_kernel.cake:4:10
//    4 | kernel k ( grid (1)
//      |          ^
//   why: every body stands in braces, also a single statement
//
// error[CK0046]: `role` stands outside a kernel
//   --> fail_lost_kernel.cake:5:3
//    5 |   role main: warps 1 { st y[lane] <- 1.0 }
//      |   ^^^^
//
// error[CK0042]: `}` closes nothing
//   --> fail_lost_kernel.cake:6:1
//    6 | }
//      | ^
