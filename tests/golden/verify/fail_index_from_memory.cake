// mode: gates
program p target sm_80
dim N in 1..=1000, K in 8..=1000
in ids: i32[N], x: f32[K]
out y: f32[N]
kernel gather {
  grid (ceildiv(N, 32))
  role main: warps 1 {
    let i = cta*32 + lane
    if i < N {
      let id = ld ids[i]
      if id >= 0 { st y[i] <- ld x[id] }
    }
  }
}
//--- expected
// error[CK2001]: `x[id]`: index 32 of dimension 0 is outside 0..8
//   --> fail_index_from_memory.cake:12:34
//   12 |       if id >= 0 { st y[i] <- ld x[id] }
//      |                                  ^^^^^
//   at: role main, cta 0, warp 0, lane 0, N=1, K=8
//   why: every access must be in bounds for every lane that executes it; `ld` may say `else` instead
//   fix (maybe): load 0 where the access is out of bounds
//     12:39: insert ` else 0.0`
// bounds        refuted        2 of 3 accesses and indices proved, for every shape that the guard admits; shown wrong at N=1, K=8
// alignment     not applicable there are no vector accesses
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       11 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       11 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
