// mode: gates
program p target sm_100
dim N in 1..=4096
in rows: i32[4]
inout x: f32[N, 32]
where rows in 0..N
kernel k {
  grid (1)
  smem tile: f32[4, 32]
  event full[1] count 1
  role main: warps 1 {
    tma.gather4 tile <- x[ld rows[0:+4], 0:+32] on full@0
    expect full@0
    wait full@0
    st x[0, lane] <- ld tile[0, lane]
  }
}
//--- expected
// error[CK1487]: `tma.gather4` reads rows of `x`, which the same kernel writes
//   --> fail_gather_written.cake:12:5
//   12 |     tma.gather4 tile <- x[ld rows[0:+4], 0:+32] on full@0
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   15 |     st x[0, lane] <- ld tile[0, lane]
//      |        ---------- written here
//   why: which rows it reads is known when it runs: nothing can show that they are not just being written
