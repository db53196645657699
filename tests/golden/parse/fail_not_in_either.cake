// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  either { smem a: f32[4] } or { event e[1] count 1; tmem t: f32[128, 8] }
  grid (N)
}
//--- expected
// error[CK0049]: `event` cannot share bytes
//   --> fail_not_in_either.cake:7:34
//    7 |   either { smem a: f32[4] } or { event e[1] count 1; tmem t: f32[128, 8] }
//      |                                  ^^^^^
//   why: `either` holds smem, tmem, ring and either
