// mode: check
program p target sm_90a
out y: f32[32]
kernel k {
  grid (1)
  smem t: f32[32]
  event e[2] count 1
  ring r[2] { a: f32[32] } from one to two
  role one: warps 1 {
    for k in 0..4 {
      wait r@k
      while !test(r@k) {}
      release r@k
    }
  }
  role two: warps 1 {
    for k in 0..4 {
      wait r@k
      release r@k
    }
  }
}
//--- expected
// error[CK1125]: role `one` is not behind `to` of ring `r` and does `wait`
//   --> fail_role_not_to.cake:11:7
//   11 |       wait r@k
//      |       ^^^^^^^^
//    8 |   ring r[2] { a: f32[32] } from one to two
//      |        - declared here
//   why: the arrivals that fill and free a slot are counted from the roles that the ring names
//
// error[CK1125]: role `one` is not behind `to` of ring `r` and does `test`
//   --> fail_role_not_to.cake:12:7
//   12 |       while !test(r@k) {}
//      |       ^^^^^^^^^^^^^^^^^^^
//    8 |   ring r[2] { a: f32[32] } from one to two
//      |        - declared here
//   why: the arrivals that fill and free a slot are counted from the roles that the ring names
//
// error[CK1125]: role `one` is not behind `to` of ring `r` and does `release`
//   --> fail_role_not_to.cake:13:7
//   13 |       release r@k
//      |       ^^^^^^^^^^^
//    8 |   ring r[2] { a: f32[32] } from one to two
//      |        - declared here
//   why: the arrivals that fill and free a slot are counted from the roles that the ring names
