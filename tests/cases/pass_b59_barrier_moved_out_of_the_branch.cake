// The barrier that separates the write from the neighbour's read stands before the branch.
program p target sm_80
in mask: i32[64], x: f32[4, 64]
inout y: f32[4, 64]
kernel k {
  grid (1)
  smem s: f32[64]
  role main: warps 2 {
    st s[thread] <- 0.0
    sync role
    for i in 0..4 {
      if (ld mask[thread]) != 0 { st s[thread] <- ld x[i, thread] }
      sync role
      let v = ld s[(thread + 32) % 64]
      if (ld mask[thread]) != 0 { st y[i, thread] <- v }
      sync role
    }
  }
}
