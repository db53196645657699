// Three roles meet on one named barrier at places of their own: the form for one place is not used.
program p target sm_80
in x: f32[96]
out y: f32[96]
kernel k {
  grid (1)
  smem s: f32[96]
  barrier meet threads 96
  role a: warps 1 {
    st s[lane] <- ld x[lane]
    bar.sync meet
    st y[lane] <- ld s[95 - lane]
  }
  role b: warps 1 {
    st s[32 + lane] <- ld x[32 + lane]
    bar.sync meet
    st y[32 + lane] <- ld s[63 - lane]
  }
  role c: warps 1 {
    st s[64 + lane] <- ld x[64 + lane]
    bar.sync meet
    st y[64 + lane] <- ld s[31 - lane]
  }
}
