// mode: check
program p target sm_80
in x: f32[32]
inout n: i32[32]; inout h: bf16[32]
kernel run {
  grid (1)
  role main: warps 1 {
    let v = ld.acquire.gpu n[lane*2:+2]
  }
}
//--- expected
// error[CK1220]: `ld.acquire` of 2 elements
//   --> fail_ordered_vector.cake:8:28
//    8 |     let v = ld.acquire.gpu n[lane*2:+2]
//      |                            ^^^^^^^^^^^^
//   why: the hardware orders one word at a time: a vector would be several accesses without an order among them
//   fix (manual): access one element, or pack several into one `u64`
