// Two loops with a ring each, and buffers that share bytes: barriers have bytes of their own to the end.
program p target sm_90
dim K in 1..=16
in x: f32[K, 32]
out y: f32[K, 32], z: f32[K, 32]
kernel k {
  grid (1)
  ring first[2] { v: f32[32] } from load to read
  ring second[2] { v: f32[32] } from load to read
  role load: warps 1 {
    for k in 0..K { acquire first@k; tma.load first.v@k <- x[k, :]; commit first@k }
    for k in 0..K { acquire second@k; tma.load second.v@k <- x[k, :]; commit second@k }
  }
  role read: warps 1 {
    for k in 0..K { wait first@k; st y[k, lane] <- ld first.v@k[lane]; release first@k }
    for k in 0..K { wait second@k; st z[k, lane] <- ld second.v@k[lane]; release second@k }
  }
}
