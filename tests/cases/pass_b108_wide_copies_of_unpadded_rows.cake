// Copies of 16 bytes of rows whose distance is any number of elements.
program p target sm_80
dim M in 1..=64, N in 64..=4096
in x: f16[M, N]
out y: f16[M, 64]
where N % 8 == 0
kernel k {
  grid (M)
  smem s: f16[64]
  role main: warps 1 {
    if lane < 8 { cp.async s[lane*8:+8] <- x[cta, lane*8:+8] }
    cp.async.commit
    cp.async.wait 0
    sync warp
    st y[cta, lane*2:+2] <- ld s[lane*2:+2]
  }
}
