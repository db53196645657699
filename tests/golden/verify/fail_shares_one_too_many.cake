// mode: gates
program p target sm_80
dim M in 1..=512, K in 1..=1024
in x: f32[M, K], w: f32[SMS]
inout y: f32[SMS, 32]
kernel k {
  // One product too many: the last CTA goes beyond the last row.
  let total = cvt.i64(M)*K
  grid (cvt.i32(min(cvt.i64(SMS), total)))
  fn first(c: i32) -> i64 { return total*c/ctas }
  fn owner(i: i64) -> i32 { return cvt.i32(((i + 1)*ctas - 1)/total) }
  role main: warps 1 {
    var i = first(cta)
    var sum: f32 = 0.0
    while i <= first(cta + 1) {
      let k0 = cvt.i32(i % K)
      let k1 = cvt.i32(min(cvt.i64(K), k0 + first(cta + 1) + 1 - i))
      let t = cvt.i32(i / K)
      for k in k0..k1 { sum += (ld x[t, k]) * (ld w[owner(cvt.i64(t)*K + K - 1)]) }
      i += k1 - k0
    }
    st y[cta, lane] <- sum
  }
}
//--- expected
// error[CK2503]: `cvt.i32(((i + 1)*ctas - 1)/total)` may leave i32: it is bounded by 2251799813685247 only
//   --> fail_shares_one_too_many.cake:11:36
//   11 |   fn owner(i: i64) -> i32 { return cvt.i32(((i + 1)*ctas - 1)/total) }
//      |                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: index arithmetic must fit its type at the largest shapes that the guard admits
//   fix (manual): cap the dims it grows with (`dim N in 1..=..`), or compute it in i64 by `cvt.i64`
//
// error[CK2001]: `x[t, k]`: index 1 of dimension 0 is outside 0..1
//   --> fail_shares_one_too_many.cake:19:36
//   19 |       for k in k0..k1 { sum += (ld x[t, k]) * (ld w[owner(cvt.i64(t)*K + K - 1)]) }
//      |                                    ^^^^^^^
//   at: role main, cta 0, warp 0, lane 0, iteration 0, M=1, K=1, SMS=1
//   why: every access must be in bounds for every lane that executes it; `ld` may say `else` instead
//   fix (manual): load 0 where the access is out of bounds
//
// error[CK2001]: `w[owner(cvt.i64(t)*K + K - 1)]`: index 1 of dimension 0 is outside 0..1
//   --> fail_shares_one_too_many.cake:19:51
//   19 |       for k in k0..k1 { sum += (ld x[t, k]) * (ld w[owner(cvt.i64(t)*K + K - 1)]) }
//      |                                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   at: role main, cta 0, warp 0, lane 0, iteration 0, M=1, K=1, SMS=1
//   why: every access must be in bounds for every lane that executes it; `ld` may say `else` instead
// bounds        refuted        7 of 9 accesses and indices proved, for every shape that the guard admits; shown wrong at M=1, K=1, SMS=1
// alignment     not applicable there are no vector accesses
// overflow      unknown        43 of 44 index operations proved, for every shape that the guard admits; unknown blocks
// races         bounded        4 shapes run on the machine, all CTAs, one schedule; 9 of 10 boundary values of dims and args shown; 2 not run
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, one schedule; 9 of 10 boundary values of dims and args shown; 2 not run
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
