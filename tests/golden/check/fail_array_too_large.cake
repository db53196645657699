// mode: check
program p target sm_80
dim N in 1..=8
out y: f32[N]
kernel k {
  grid (N)
  role main: warps 1 {
    var keep: f32[1000000000] = 0.0
    elect { st y[cta] <- keep[0] }
  }
}
//--- expected
// error[CK6107]: a register array of 1000000000 elements; the limit is 16384
//   --> fail_array_too_large.cake:8:15
//    8 |     var keep: f32[1000000000] = 0.0
//      |               ^^^^^^^^^^^^^^^
//   why: a thread has at most 255 registers, and what does not fit lives in slow local memory
