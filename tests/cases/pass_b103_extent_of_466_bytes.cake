// Rows of 466 bytes at a distance of 512: the hardware writes whole 16 bytes.
program p target sm_90
in x: i8[32, 512]
out y: i8[32, 464] stride (512, 1)
kernel k {
  grid (1)
  smem s: i8[32, 128]
  event full[1] count 1
  role main: warps 1 {
    for c in 0..4 {
      tma.load s <- x[:, c*128:+128] on full@c
      expect full@c
      wait full@c
      once { tma.store y[:, c*128:+128] <- s; tma.commit; tma.wait.read 0 }
      sync role
    }
  }
}
