// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let a = max(
      1,
      2
    )
    let b =
      a +
      1
    if a > b
    {
      st y[0] <-
        1.0
    }
    else {
      st y[1] <- ld x[0]
        else 0.0
    }
    let c = a; let d = b;
    ;
  }
}
//--- expected
