// mode: gates
program p target sm_80
dim M in 1..=2147483647, N in 1..=65536
out y: f32[M]
kernel k {
  grid (M)
  role main: warps 1 {
    let flat = cta*N
    if lane == 0 && flat >= 0 && flat < M { st y[flat] <- 1.0 }
  }
}
//--- expected
// error[CK2503]: `cta*N` may leave i32: it is bounded by 140737488224256 only
//   --> fail_index_overflow.cake:8:16
//    8 |     let flat = cta*N
//      |                ^^^^^
//   why: index arithmetic must fit its type at the largest shapes that the guard admits
//   fix (manual): cap the dims it grows with (`dim N in 1..=..`), or compute it in i64 by `cvt.i64`
// bounds        proved         1 of 1 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      unknown        0 of 1 index operations proved, for every shape that the guard admits; unknown blocks
// races         explored       5 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   refuted        5 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; shown wrong at M=2, N=2
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
