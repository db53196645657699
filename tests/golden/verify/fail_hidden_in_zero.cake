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
      mma c += a * b zero t + max(T - 6, 0) == 0
    }
    for (r, e) in c { st y[c.row(r), c.col(e)] <- c[r, e] }
  }
}
//--- expected
// error[CK2011]: the value of `c` was never set and is stored to `y`
//   --> fail_hidden_in_zero.cake:17:23
//   17 |     for (r, e) in c { st y[c.row(r), c.col(e)] <- c[r, e] }
//      |                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   11 |     var c: mma f32[16, 8]
//      |     --------------------- declared here without a value
//   at: role main, cta 0, warp 0, lane 0, iteration 0, T=7
//   why: an undefined value may not leave the CTA
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         explored       5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at T=7
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
