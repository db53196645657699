// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  role main: warps 1 {
    var acc: mma f32[16, 16]
    acc = 0.0
    while acc[:, 0:+8] { acc = 1.0 }
    acc[:, 0:+8] += 1.0
    acc[:, 4:+8] = 1.0
    acc[:, 0:+8] = acc
  }
}
//--- expected
// error[CK1184]: a slice of the fragment `mma f32[16, 16]` is no value here
//   --> fail_fragment_slice_value.cake:9:11
//    9 |     while acc[:, 0:+8] { acc = 1.0 }
//      |           ^^^^^^^^^^^^
//   why: slices are operands of products and matrix copies; elements are named one at a time
//
// error[CK1212]: `+=` of a slice of a fragment
//   --> fail_fragment_slice_value.cake:10:5
//   10 |     acc[:, 0:+8] += 1.0
//      |     ^^^^^^^^^^^^^^^^^^^
//   why: fragments are assigned as a whole; elements compute one at a time, in a loop
//   fix (manual): write a loop over its elements
//
// error[CK1187]: a slice of `acc` is `[:, c:+n]` with c and n multiples of 8 inside the tile
//   --> fail_fragment_slice_value.cake:11:5
//   11 |     acc[:, 4:+8] = 1.0
//      |     ^^^^^^^^^^^^
//   why: an instruction reads and writes whole tiles of columns
//
// error[CK1183]: `mma f32[16, 8]` expected, `mma f32[16, 16]` found
//   --> fail_fragment_slice_value.cake:12:20
//   12 |     acc[:, 0:+8] = acc
//      |                    ^^^
//   why: the threads hold other elements in this form or shape; only shared memory moves them, or a conversion between forms that agree
