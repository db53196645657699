// The product adds to an accumulator that nothing has set.
program p target sm_80
in a: bf16[16, 16], b: bf16[16, 8]
out y: f32[16, 8]
kernel k {
  grid (1)
  role main: warps 1 {
    var fa: mma.a bf16[16, 16]
    var fb: mma.b bf16[16, 8]
    var acc: mma f32[16, 8]
    for (r, e) in fa { fa[r, e] = ld a[fa.row(r), fa.col(e)] }
    for (r, e) in fb { fb[r, e] = ld b[fb.row(r), fb.col(e)] }
    mma acc = fa * fb
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
