// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
}
kernel k {
  grid (N)
  role main: warps 1 { st y[0] <- 1.0 }
}
}
//--- expected
// error[CK0042]: `}` closes nothing
//   --> fail_stray_close.cake:6:1
//    6 | }
//      | ^
//
// error[CK0042]: `}` closes nothing
//   --> fail_stray_close.cake:11:1
//   11 | }
//      | ^
