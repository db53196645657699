// mode: gates
program p target sm_80
dim N in 1..=4096, R in 1..=100000
in x: f32[R, 32], ids: i32[N]
out y: f32[N, 32]
where ids in 0..=R
kernel k {
  grid (N)
  role main: warps 1 { st y[cta, lane] <- ld x[ld ids[cta], lane] }
}
//--- expected
// error[CK2001]: `x[ld ids[cta], lane]`: index 1 of dimension 0 is outside 0..1
//   --> fail_contract_too_weak.cake:9:46
//    9 |   role main: warps 1 { st y[cta, lane] <- ld x[ld ids[cta], lane] }
//      |                                              ^^^^^^^^^^^^^^^^^^^^
//   at: role main, cta 0, warp 0, lane 0, N=1, R=1
//   why: every access must be in bounds for every lane that executes it; `ld` may say `else` instead
//   fix (maybe): load 0 where the access is out of bounds
//     9:66: insert ` else 0.0`
// bounds        refuted        2 of 3 accesses and indices proved, for every shape that the guard admits; shown wrong at N=1, R=1
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         bounded        4 shapes run on the machine, all CTAs, one schedule; 7 of 8 boundary values of dims and args shown; 1 not run
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, one schedule; 7 of 8 boundary values of dims and args shown; 1 not run
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: ids in 0..=R; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
