// mode: gates
program p target sm_80
dim M in 1..=512, K in 1..=1024
in x: f32[M, K], w: f32[SMS]
inout y: f32[SMS, 32]
kernel k {
  // CTA c owns the products first(c) .. first(c+1), row by row; a row may have several owners.
  let total = cvt.i64(M)*K
  grid (cvt.i32(min(cvt.i64(SMS), total)))
  fn first(c: i32) -> i64 { return total*c/ctas }
  fn owner(i: i64) -> i32 { return cvt.i32(((i + 1)*ctas - 1)/total) }
  role main: warps 1 {
    var i = first(cta)
    var sum: f32 = 0.0
    while i < first(cta + 1) {
      let k0 = cvt.i32(i % K)
      let k1 = cvt.i32(min(cvt.i64(K), k0 + first(cta + 1) - i))
      let t = cvt.i32(i / K)
      for k in k0..k1 { sum += (ld x[t, k]) * (ld w[owner(cvt.i64(t)*K + K - 1)]) }
      i += k1 - k0
    }
    st y[cta, lane] <- sum
  }
}
//--- expected
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         43 of 43 index operations proved, for every shape that the guard admits
// races         explored       6 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       6 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
