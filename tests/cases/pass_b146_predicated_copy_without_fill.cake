// Rows behind the sequence are not copied; the product reads what the tile held.
program p target sm_80
dim N in 1..=16
in k: bf16[N, 16], q: bf16[16, 16]
out s: f32[16, 16]
kernel kk {
  grid (1)
  smem sk: bf16[16, 16] padded 8
  smem sq: bf16[16, 16] padded 8
  role main: warps 1 {
    var fa: mma.a bf16[16, 16]
    var fb: mma.b bf16[16, 16]
    var acc: mma f32[16, 16]
    let r = lane / 2
    let c = lane % 2 * 8
    cp.async sq[r, c:+8] <- q[r, c:+8]
    cp.async sk[r, c:+8] <- k[r, c:+8] else 0.0
    cp.async.commit
    cp.async.wait 0
    sync warp
    ldmatrix fa <- sq
    ldmatrix fb <- sk.T
    mma acc = fa * fb
    for (i, e) in acc { st s[acc.row(i), acc.col(e)] <- acc[i, e] }
  }
}
