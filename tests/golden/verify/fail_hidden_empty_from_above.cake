// mode: gates
program uv target sm_80
dim N in 1..=100
in x: f32[N, 32]
out y: f32[N, 32]
kernel run {
  grid (N)
  role main: warps 1 {
    var b: f32
    for i in cta/20..3 { b = 1.0 }
    st y[cta, lane] <- b + ld x[cta, lane]
  }
}
//--- expected
// error[CK2011]: the value of `b` was never set and is stored to `y`
//   --> fail_hidden_empty_from_above.cake:11:5
//   11 |     st y[cta, lane] <- b + ld x[cta, lane]
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//    9 |     var b: f32
//      |     ---------- declared here without a value
//   at: role main, cta 60, warp 0, lane 0, N=64
//   why: an undefined value may not leave the CTA
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         explored       17 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        17 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at N=64
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
