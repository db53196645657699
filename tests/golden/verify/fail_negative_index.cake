// mode: gates
program p target sm_80
dim N in 1..=1000
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 32))
  role main: warps 1 {
    let i = cta*32 + lane
    if i < N { st y[i] <- ld x[i - 1] }
  }
}
//--- expected
// error[CK2001]: `x[i - 1]`: index -1 of dimension 0 is outside 0..1
//   --> fail_negative_index.cake:10:30
//   10 |     if i < N { st y[i] <- ld x[i - 1] }
//      |                              ^^^^^^^^
//   at: role main, cta 0, warp 0, lane 0, N=1
//   why: every access must be in bounds for every lane that executes it; `ld` may say `else` instead
//   fix (maybe): load 0 where the access is out of bounds
//     10:38: insert ` else 0.0`
// bounds        refuted        1 of 2 accesses and indices proved, for every shape that the guard admits; shown wrong at N=1
// alignment     not applicable there are no vector accesses
// overflow      proved         3 of 3 index operations proved, for every shape that the guard admits
// races         bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
