// The wait for the kernel before stands behind the loads of what that kernel writes.
program p target sm_90
in x: f32[128]
out y: f32[128]
workspace part: f32[128]
kernel first {
  grid (1)
  role main: warps 4 { pdl.launch; st part[thread] <- ld x[thread] }
}
kernel second pdl {
  grid (1)
  role main: warps 4 {
    let v = ld part[thread]
    pdl.wait
    st y[thread] <- v
  }
}
