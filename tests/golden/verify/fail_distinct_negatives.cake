// mode: gates
program scatter target sm_80
dim N in 1..=4096
in ids: i32[N], x: f32[N]
out y: f32[N]
where ids in -1..N, distinct(ids)
kernel run {
  grid (N)
  role main: warps 1 { once { st y[max(ld ids[cta], 0)] <- ld x[cta] } }
}
//--- expected
// error[CK2023]: `st` of `y` by CTA 1 is not ordered with the `st` by CTA 0
//   --> fail_distinct_negatives.cake:9:34
//    9 |   role main: warps 1 { once { st y[max(ld ids[cta], 0)] <- ld x[cta] } }
//      |                                  ^^^^^^^^^^^^^^^^^^^^^^
//    9 |   role main: warps 1 { once { st y[max(ld ids[cta], 0)] <- ld x[cta] } }
//      |                               -------------------------------------- written here by role main, warp 0, CTA 0
//   at: role main, cta 1, warp 0, lane 0, bytes 0..4, N=2
//   why: the CTAs of one kernel run in any order; what one writes, only a later kernel may touch
//   fix (manual): let each CTA touch elements of its own: an index that grows with `cta` by at least what the CTA touches; of numbers that come from memory say `distinct(..)` in `where`; sum up with `red.add`; or part the two accesses by `grid.sync` or into two kernels
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; shown wrong at N=2 (`y` not proven)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: ids in -1..N; contents: distinct(ids); tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
