// All threads search a table that 16 of them write.
program p target sm_80
in count: i32[16], x: i32[128]
out y: i32[128]
kernel k {
  grid (1)
  smem prefix: i32[16]
  role main: warps 4 {
    if thread < 16 { st prefix[thread] <- ld count[thread] }
    sync role
    var low = 0
    for step in 0..4 {
      let at = low + (8 >> step)
      if (ld prefix[at & 15]) <= ld x[thread] { low = at & 15 }
    }
    st y[thread] <- low
  }
}
