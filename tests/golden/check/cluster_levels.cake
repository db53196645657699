// mode: check
program p target sm_90
dim N in 1..=64
in x: f32[64], n: i32[64]
out y: f32[64]
kernel run {
  cluster 2
  grid (SMS)
  smem s: i32[1]
  role main: warps 1 {
    let trips = ld n[cluster.id]
    for i in 0..trips { sync cluster }
    once { st s[0] <- N }
    cluster.sync
    for i in 0..ld s[0] at 0 { cluster.arrive; cluster.wait }
    for i in cta*32 + lane .. 64 step ctas*32 { st y[i] <- ld x[i] }
  }
}
//--- expected
