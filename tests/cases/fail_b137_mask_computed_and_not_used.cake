// The tail is masked in one line and stored without the mask in the next.
program p target sm_80
dim M in 1..=4096
in x: f32[M]
out y: f32[M]
kernel k {
  grid (ceildiv(M, 128))
  role main: warps 4 {
    let m = cta*128 + thread
    let mask = m < M
    let v = ld x[m] else 0.0
    st y[m] <- v
  }
}
