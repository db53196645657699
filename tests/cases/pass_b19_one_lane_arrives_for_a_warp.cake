// One lane arrives for values that all lanes write.
program p target sm_90
in x: f32[32]
out y: f32[32]
kernel k {
  grid (1)
  smem s: f32[32]
  event written[1] count 1
  role fill: warps 1 {
    st s[lane] <- ld x[lane]
    arrive written@0
  }
  role read: warps 1 {
    wait written@0
    st y[lane] <- ld s[31 - lane]
  }
}
