// mode: check
program p target sm_80
out y: f32[16, 16]
kernel k {
  grid (1)
  role main: warps 1 {
    var acc: mma f32[16, 16]
    fn clear(f: inout frag) { f = 0.0; acc[:, 8:+8] = 1.0 }
    fn both(f: inout frag, g: inout frag) { f = 0.0; g = 1.0 }
    clear(acc[:, 0:+8])
    both(acc[:, 0:+8], acc[:, 8:+8])
    both(acc[:, 0:+16], acc[:, 8:+8])
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// error[CK1216]: the call has other names for columns of `acc` that an `inout` parameter stands for
//   --> fail_slice_named_twice.cake:10:5
//   10 |     clear(acc[:, 0:+8])
//      |     ^^^^^^^^^^^^^^^^^^^
//    7 |     var acc: mma f32[16, 16]
//      |         --- declared here
//   why: a slice has registers of its own while the call runs, and goes back to its fragment behind it
//
// error[CK1216]: the call has other names for columns of `acc` that an `inout` parameter stands for
//   --> fail_slice_named_twice.cake:12:5
//   12 |     both(acc[:, 0:+16], acc[:, 8:+8])
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//    7 |     var acc: mma f32[16, 16]
//      |         --- declared here
//   why: a slice has registers of its own while the call runs, and goes back to its fragment behind it
