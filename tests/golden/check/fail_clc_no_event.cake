// mode: check
program p target sm_100a
out y: i32[64]
kernel k {
  grid (64)
  smem answer: u64[2]
  event told[1] count 1
  role main: warps 1 {
    clc.try_cancel answer
    expect told@0 bytes 16
    wait told@0
  }
}
//--- expected
// error[CK1160]: nothing says when the `clc.try_cancel` into `answer` is complete
//   --> fail_clc_no_event.cake:9:5
//    9 |     clc.try_cancel answer
//      |     ^^^^^^^^^^^^^^^^^^^^^
//    6 |   smem answer: u64[2]
//      |        ------ no slot of a ring
//   why: a load into a slot of a ring completes on the ring; any other one says `on E@k`
//   fix (manual): say `on E@k`
