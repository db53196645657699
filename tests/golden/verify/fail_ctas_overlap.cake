// mode: gates
program p target sm_80
dim N in 1..=1000
out y: f32[N]
kernel k {
  grid (ceildiv(N, 32))
  role main: warps 2 {
    let i = cta*32 + thread
    if i < N { st y[i] <- cvt.f32(i + cta) }
  }
}
//--- expected
// error[CK2023]: `st` of `y` by CTA 1 is not ordered with the `st` by CTA 0
//   --> fail_ctas_overlap.cake:9:19
//    9 |     if i < N { st y[i] <- cvt.f32(i + cta) }
//      |                   ^^^^
//    9 |     if i < N { st y[i] <- cvt.f32(i + cta) }
//      |                --------------------------- written here by role main, warp 1, CTA 0
//   at: role main, cta 1, warp 0, lane 0, bytes 128..132, N=33
//   why: the CTAs of one kernel run in any order; what one writes, only a later kernel may touch
//   fix (manual): let each CTA touch elements of its own: an index that grows with `cta` by at least what the CTA touches; of numbers that come from memory say `distinct(..)` in `where`; sum up with `red.add`; or part the two accesses by `grid.sync` or into two kernels
// bounds        proved         1 of 1 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// global races  refuted        8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; shown wrong at N=33 (`y` not proven)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
