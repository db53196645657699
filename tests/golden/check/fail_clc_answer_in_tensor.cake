// mode: check
program p target sm_100a
out y: i32[64]
kernel k {
  grid (64)
  smem answer: u64[2]
  event told[1] count 1
  role main: warps 1 {
    clc.try_cancel y[0:+4] on told@0
    expect told@0 bytes 16
    wait told@0
  }
}
//--- expected
// error[CK1480]: `y`: the answer to `clc.try_cancel` is 16 bytes that lie side by side, two of u64; this is i32[4]
//   --> fail_clc_answer_in_tensor.cake:9:20
//    9 |     clc.try_cancel y[0:+4] on told@0
//      |                    ^^^^^^^
//    3 | out y: i32[64]
//      |     - declared here
//   why: PTX ISA, clusterlaunchcontrol.try_cancel: a 16-byte value in shared memory of the CTA, which `clc.cta` reads as two words
//   fix (manual): declare it `u64[2]`
