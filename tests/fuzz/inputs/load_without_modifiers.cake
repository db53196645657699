// The words after `ld` are none: nothing may be added to the begin of an empty list.
program example target sm_80
dim N in 1..=4096
in a: f32[N]; out y: f32[N]
kernel run {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let i = cta*128 + thread
    if i < N { st y[i] <- -(ld a[i]) }
  }
}
