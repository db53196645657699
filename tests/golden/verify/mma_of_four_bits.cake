// mode: gates
program p target sm_80
// Two numbers a byte: the tiles move and lie in registers as bytes do.
in a: i4x2[32, 64], b: u4x2[16, 64]
out y: i32[32, 16]
kernel k {
  grid (1)
  smem sa: i4x2[32, 64] padded 16
  smem sb: u4x2[16, 64] padded 16
  role main: warps 1 {
    var fa: mma.a i4x2[32, 64]
    var fb: mma.b u4x2[64, 16]
    var acc: mma i32[32, 16]
    for c in 0..4 {
      cp.async sa[lane, c*16:+16] <- a[lane, c*16:+16]
      if lane < 16 { cp.async sb[lane, c*16:+16] <- b[lane, c*16:+16] }
    }
    cp.async.commit
    cp.async.wait 0
    sync warp
    ldmatrix fa <- sa
    ldmatrix fb <- sb.T
    mma.sat acc = fa * fb
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     proved         6 of 6 vector accesses proved, for every shape that the guard admits
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
