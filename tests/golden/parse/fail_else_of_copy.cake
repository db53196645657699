// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    st y[0] <- 1.0 + 2.0 else 0.0
    st y[1] <- ld x[0] else 0.0
    cp.async s@0[0:+4] <- x[0:+4] else 0.0
  }
}
//--- expected
// error[CK0060]: `else` needs a view before it
//   --> fail_else_of_copy.cake:9:26
//    9 |     st y[0] <- 1.0 + 2.0 else 0.0
//      |                          ^^^^
//   why: it gives the value of elements outside the view; a computed value has none
