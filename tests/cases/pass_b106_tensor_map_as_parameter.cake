// A tensor map is a parameter of its own, of the driver's type and alignment.
program p target sm_90
in x: f32[32]
out y: f32[32]
arg n: i32
kernel k {
  grid (1)
  smem s: f32[32]
  event full[1] count 1
  role main: warps 1 {
    tma.load s <- x on full@0
    expect full@0
    wait full@0
    if lane < n { st y[lane] <- ld s[lane] } else { st y[lane] <- 0.0 }
  }
}
