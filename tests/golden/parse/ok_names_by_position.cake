// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  tmem st: f32[128, 8]
  smem out: f32[4]; smem last: i32[1]
  event free[2] count 1
  role main: warps 4 {
    var let_ = 1
    st st[0] <- 1.0
    step(st, free)
    last[0] = 3
    st = 4
    wait = 5
    once = 6
    fn step(acc: inout frag, u: i32) { acc[0, u] += 1.0 }
    let issue = step
    let or_ = 1
    fence async; sync role
  }
}
//--- expected
