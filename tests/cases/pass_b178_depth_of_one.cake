// A feature of one number is no operand: a product takes 16 of the depth.
program p target sm_80
in x: bf16[16, 1], c: bf16[1, 8]
out y: f32[16, 8]
kernel k {
  grid (1)
  role main: warps 1 {
    var fa: mma.a bf16[16, 16]
    var fb: mma.b bf16[16, 8]
    var acc: mma f32[16, 8]
    for (r, e) in fa { fa[r, e] = ld x[fa.row(r), fa.col(e)] else 0.0 }
    for (r, e) in fb { fb[r, e] = ld c[fb.row(r), fb.col(e)] else 0.0 }
    mma acc = fa * fb
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
