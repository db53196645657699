// mode: gates
program halves target sm_80
dim N in 1..=100000
in x: f32[N]
out y: f32[N]
workspace t: f32[N]
kernel run {
  grid (SMS)
  role main: warps 4 {
    for i in cta*128 + thread..N step ctas*128 { st t[i] <- 2.0 * (ld x[i]) }
    for i in cta*128 + thread..N step ctas*128 { st y[i] <- ld t[N - 1 - i] }
  }
}
//--- expected
// error[CK2023]: `st` of `t` by CTA 1 is not ordered with the `ld` by CTA 0
//   --> fail_grid_sync_forgotten.cake:10:53
//   10 |     for i in cta*128 + thread..N step ctas*128 { st t[i] <- 2.0 * (ld x[i]) }
//      |                                                     ^^^^
//   11 |     for i in cta*128 + thread..N step ctas*128 { st y[i] <- ld t[N - 1 - i] }
//      |                                                  -------------------------- read here by role main, warp 3, CTA 0
//   at: role main, cta 1, warp 0, lane 1, iteration 0, bytes 516..520, N=257, SMS=4
//   why: the CTAs of one kernel run in any order; what one writes, only a later kernel may touch
//   fix (manual): let each CTA touch elements of its own: an index that grows with `cta` by at least what the CTA touches; of numbers that come from memory say `distinct(..)` in `where`; sum up with `red.add`; or part the two accesses by `grid.sync` or into two kernels
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         8 of 8 index operations proved, for every shape that the guard admits
// races         bounded        8 shapes run on the machine, all CTAs, one schedule; 7 of 10 boundary values of dims and args shown; 3 not run
// global races  refuted        8 shapes run on the machine, all CTAs, one schedule; 7 of 10 boundary values of dims and args shown; 3 not run; shown wrong at N=257, SMS=4 (`y` disjoint, `t` not proven)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        8 shapes run on the machine, all CTAs, one schedule; 7 of 10 boundary values of dims and args shown; 3 not run
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
