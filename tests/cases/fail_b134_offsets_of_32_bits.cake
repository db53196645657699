// The number of a row is multiplied in 32 bits and is larger than 2^31 at the largest shapes.
program p target sm_90
dim B in 1..=1024, T in 1..=65536, H in 1..=64
in x: f32[cvt.i64(B)*T*H, 128]
out y: f32[cvt.i64(B)*T*H, 128]
kernel k {
  grid (T, H, B)
  role main: warps 4 {
    let row = (cta.z*T + cta.x)*H + cta.y
    st y[row, thread] <- ld x[row, thread]
  }
}
