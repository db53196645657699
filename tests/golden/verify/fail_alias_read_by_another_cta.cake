// mode: gates
program shift target sm_80
dim N in 1..=1000000
in x: f32[N]
out y: f32[N]
alias x, y
kernel run {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let i = cta*128 + thread
    if i + 400000 < N { st y[i] <- ld x[i + 400000] }
  }
}
//--- expected
// error[CK2531]: `y` may be the memory of `x`, in which two CTAs are not known to touch different elements
//   --> fail_alias_read_by_another_cta.cake:11:28
//   11 |     if i + 400000 < N { st y[i] <- ld x[i + 400000] }
//      |                            ^^^^
//   11 |     if i + 400000 < N { st y[i] <- ld x[i + 400000] }
//      |                                    ---------------- another CTA may be here with the same element
//   why: nothing orders the CTAs of a launch: what one reads through one name, another may already have overwritten through the other
//   fix (manual): let each CTA touch elements of its own: an index that grows with `cta` by at least what the CTA touches; of numbers that come from memory say `distinct(..)` in `where`; sum up with `red.add`; or part the two accesses by `grid.sync` or into two kernels
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         explored       22 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// global races  unknown        22 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown (`y` not proven); unknown blocks
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   refuted        22 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; shown wrong at N=1
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors overlap only where `alias` says so (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
