// Warps read the flag that ends the loop while one of them sets it.
program p target sm_80
in x: i32[16]
out y: i32[64]
kernel k {
  grid (1)
  smem flag: i32[1]
  role main: warps 2 {
    if thread == 0 { st flag[0] <- 0 }
    sync role
    var it = 0
    while it < 16 && (ld flag[0]) == 0 {
      if thread == 0 && (ld x[it]) > 0 { st flag[0] <- 1 }
      it += 1
      sync role
    }
    st y[thread] <- it
  }
}
