// 16,384 times a stride of 131,072 is 2^31.
program p target sm_90
dim I in 1..=16383
in x: f32[cvt.i64(I)*131072]
out y: f32[I]
kernel k {
  grid (I)
  role main: warps 1 {
    let off = cta*131072
    once { st y[cta] <- ld x[off] }
  }
}
