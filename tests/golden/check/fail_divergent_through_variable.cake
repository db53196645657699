// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    var go = true
    for i in 0..4 {
      if go { sync role }
      let v = ld x[cta, i + lane]
      if v > 0.0 { go = false }
    }
  }
}
//--- expected
// error[CK1110]: `sync role` needs every thread of its `role`; control here is `lane` level
//   --> fail_divergent_through_variable.cake:12:15
//   12 |       if go { sync role }
//      |               ^^^^^^^^^
//   12 |       if go { sync role }
//      |          -- this condition is lane level
//   14 |       if v > 0.0 { go = false }
//      |                    ---------- `go` is lane level: assigned under divergent control
//   14 |       if v > 0.0 { go = false }
//      |          ------- this condition is lane level
//   13 |       let v = ld x[cta, i + lane]
//      |       --------------------------- `v` is lane level by this
//   why: threads that take the other way never arrive, and the ones that wait for them wait for ever
