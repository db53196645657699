// mode: check
program p target sm_80
in a: b1x8[16, 16], b: b1x8[8, 16]
out y: i32[16, 8]
kernel k {
  grid (1)
  role main: warps 1 {
    var fa: mma.a b1x8[16, 16]
    var fb: mma.b b1x8[16, 8]
    var acc: mma i32[16, 8]
    for (r, e) in fa { fa[r, e] = ld a[fa.row(r), fa.col(e)] }
    for (r, e) in fb { fb[r, e] = ld b[fb.col(e), fb.row(r)] }
    mma.sat.and acc = fa * fb
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// error[CK1270]: `mma.sat` of b1x8 into i32
//   --> fail_mma_sat_bits.cake:13:5
//   13 |     mma.sat.and acc = fa * fb
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: sums of integer products alone can end at the ends of their type; floats have infinities, and counts of bits are far from the end
