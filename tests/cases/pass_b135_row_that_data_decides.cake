// The row comes from data: its bound is the contract's, and times the columns it leaves 32 bits.
program p target sm_90
dim T in 1..=131072, N in 1..=32768
in x: f32[32], row: i32[T]
out y: f32[cvt.i64(T)*N]
where row in 0..T, distinct(row)
kernel k {
  grid (T)
  role main: warps 1 {
    let r = ld row[cta]
    let at = cvt.i64(r)*N
    for c in lane..N step 32 { st y[at + c] <- ld x[lane] }
  }
}
