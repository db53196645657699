// mode: check
program p target sm_90
in x: f32[16, 32]
kernel k {
  grid (1)
  smem tile: f32[16, 32]
  ring r[2] { t: f32[16, 32] } from main to other
  event e[1] count 1
  role main: warps 1 {
    tma.load tile <- x[:, :]
    acquire r@0
    tma.load r.t@0 <- x[:, :] on e@0
    tma.load tile <- x[:, :] on r@0
    commit r@0
  }
  role other: warps 1 { wait r@0; release r@0 }
}
//--- expected
// error[CK1160]: nothing says when the `tma.load` into `tile` is complete
//   --> fail_copy_no_event.cake:10:5
//   10 |     tma.load tile <- x[:, :]
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^
//    6 |   smem tile: f32[16, 32]
//      |        ---- no slot of a ring
//   why: a load into a slot of a ring completes on the ring; any other one says `on E@k`
//   fix (manual): say `on E@k`
//
// error[CK1161]: `r.t` is in a slot of a ring, and `on` names another event
//   --> fail_copy_no_event.cake:12:34
//   12 |     tma.load r.t@0 <- x[:, :] on e@0
//      |                                  ^^^
//    7 |   ring r[2] { t: f32[16, 32] } from main to other
//      |        - declared here
//   why: the load completes on the mbarrier that says the slot full, whose bytes `commit` counts
//
// error[CK1123]: `tma.load` of ring `r`, whose slots are handed over
//   --> fail_copy_no_event.cake:13:33
//   13 |     tma.load tile <- x[:, :] on r@0
//      |                                 ^^^
//    7 |   ring r[2] { t: f32[16, 32] } from main to other
//      |        - declared here
//   why: the arrivals of a ring are `commit` by the roles behind `from` and `release` by those behind `to`
