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
      acquire r@k
      commit r@k
    }
  }
  role two: warps 1 {
    for k in 0..4 {
      acquire r@k
      commit r@k
    }
  }
}
//--- expected
// error[CK1124]: role `two` is not behind `from` of ring `r` and does `acquire`
//   --> fail_role_not_from.cake:17:7
//   17 |       acquire r@k
//      |       ^^^^^^^^^^^
//    8 |   ring r[2] { a: f32[32] } from one to two
//      |        - declared here
//   why: the arrivals that fill and free a slot are counted from the roles that the ring names
//
// error[CK1124]: role `two` is not behind `from` of ring `r` and does `commit`
//   --> fail_role_not_from.cake:18:7
//   18 |       commit r@k
//      |       ^^^^^^^^^^
//    8 |   ring r[2] { a: f32[32] } from one to two
//      |        - declared here
//   why: the arrivals that fill and free a slot are counted from the roles that the ring names
