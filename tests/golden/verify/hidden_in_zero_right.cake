// mode: gates
program mm target sm_80
dim T in 1..=1000
in x: bf16[16, 16*T], w: bf16[8, 16*T]
out y: f32[16, 8]
kernel run {
  grid (1)
  role main: warps 1 {
    var a: mma.a bf16[16, 16]
    var b: mma.b bf16[16, 8]
    var c: mma f32[16, 8]
    for t in 0..T {
      for (r, e) in a { a[r, e] = ld x[a.row(r), t*16 + a.col(e)] }
      for (r, e) in b { b[r, e] = ld w[b.col(e), t*16 + b.row(r)] }
      mma c += a * b zero t + max(T - 6, 0)*t == 0
    }
    for (r, e) in c { st y[c.row(r), c.col(e)] <- c[r, e] }
  }
}
//--- expected
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         explored       9 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       9 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
