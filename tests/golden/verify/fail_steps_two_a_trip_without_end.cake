// mode: gates
program p target sm_80
dim N in 1..=1048576, K in 1..=65536
in x: f32[1024]
out y: f32[SMS, 32]
where N*K in 1..=2147483646
kernel k {
  grid (SMS)
  role main: warps 1 {
    var j = 0
    var sum: f32 = 0.0
    for m in cta..N step ctas {
      for n in 0..K step 2 {
        sum += ld x[j % 1024]
        j += 1
        sum += ld x[j % 1024]
        j += 1
      }
    }
    st y[cta, lane] <- sum
  }
}
//--- expected
// error[CK2503]: `j += 1` may leave i32: it is bounded by 2147483648 only
//   --> fail_steps_two_a_trip_without_end.cake:15:9
//   15 |         j += 1
//      |         ^^^^^^
//   why: index arithmetic must fit its type at the largest shapes that the guard admits
//   fix (manual): cap the dims it grows with (`dim N in 1..=..`), or compute it in i64 by `cvt.i64`
//
// error[CK2503]: `j += 1` may leave i32: it is bounded by 2147483648 only
//   --> fail_steps_two_a_trip_without_end.cake:17:9
//   17 |         j += 1
//      |         ^^^^^^
//   why: index arithmetic must fit its type at the largest shapes that the guard admits
//   fix (manual): cap the dims it grows with (`dim N in 1..=..`), or compute it in i64 by `cvt.i64`
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      unknown        2 of 4 index operations proved, for every shape that the guard admits; unknown blocks
// races         explored       6 shapes run on the machine, all CTAs, one schedule; 11 of 11 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       6 shapes run on the machine, all CTAs, one schedule; 11 of 11 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
