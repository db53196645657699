// mode: check
program p target sm_90a
out y: f32[16, 8]
kernel k {
  grid (1)
  role main: warps 1 {
    var fa: mma.a bf16[16, 16]
    var fb: mma.b bf16[16, 8]
    var acc: mma f32[16, 8]
    fa = 0.0
    fb = 0.0
    mma.sat acc = fa * fb
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// error[CK1270]: `mma.sat` of bf16 into f32
//   --> fail_mma_sat.cake:12:5
//   12 |     mma.sat acc = fa * fb
//      |     ^^^^^^^^^^^^^^^^^^^^^
//   why: sums of integer products alone can end at the ends of their type; floats have infinities, and counts of bits are far from the end
