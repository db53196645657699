// mode: gates
program late target sm_80
dim N in 1..=1000000
in x: f32[N]
out y: f32[N]
kernel run {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let i = cta*128 + thread
    if i < N { st y[min(i, 900000)] <- ld x[i] }
  }
}
//--- expected
// error[CK2530]: two CTAs are not known to touch different elements of `y`
//   --> fail_cta_clamped_index.cake:10:19
//   10 |     if i < N { st y[min(i, 900000)] <- ld x[i] }
//      |                   ^^^^^^^^^^^^^^^^^
//   why: nothing orders the CTAs of a launch: where two of them touch one element and one writes it, the result is either's; the shapes that ran do not show it, larger ones may
//   fix (manual): let each CTA touch elements of its own: an index that grows with `cta` by at least what the CTA touches; of numbers that come from memory say `distinct(..)` in `where`; sum up with `red.add`; or part the two accesses by `grid.sync` or into two kernels
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// global races  unknown        8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown (`y` not proven); unknown blocks
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   refuted        8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; shown wrong at N=1000000
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
