// mode: gates
program p target sm_80
dim HQ in 1..=128, HK in 1..=16
out y: f32[HQ, 32]
where HQ % HK == 0
kernel k {
  grid (ceildiv(HK, 4))
  role main: warps 4 {
    let hk = cta*4 + warp
    let group = HQ / HK
    for g in 0..group + 1 {
      if hk < HK && hk*group + g < HQ { st y[hk*group + g, lane] <- 1.0 }
    }
  }
}
//--- expected
// warning[CK2024]: several threads write the same value to the same element of `y`
//   --> fail_heads_of_the_next_group.cake:12:41
//   12 |       if hk < HK && hk*group + g < HQ { st y[hk*group + g, lane] <- 1.0 }
//      |                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   at: role main, cta 0, warp 0, lane 0, HQ=2, HK=2
//   why: the result does not depend on who is last, but all but one of the writes are wasted
//
// error[CK2530]: two CTAs are not known to touch different elements of `y`
//   --> fail_heads_of_the_next_group.cake:12:44
//   12 |       if hk < HK && hk*group + g < HQ { st y[hk*group + g, lane] <- 1.0 }
//      |                                            ^^^^^^^^^^^^^^^^^^^^^
//   why: nothing orders the CTAs of a launch: where two of them touch one element and one writes it, the result is either's; the shapes that ran do not show it, larger ones may
//   fix (manual): let each CTA touch elements of its own: an index that grows with `cta` by at least what the CTA touches; of numbers that come from memory say `distinct(..)` in `where`; sum up with `red.add`; or part the two accesses by `grid.sync` or into two kernels
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         8 of 8 index operations proved, for every shape that the guard admits
// races         explored       7 shapes run on the machine, all CTAs, one schedule; 14 of 14 boundary values of dims and args shown; the loop in line 11 not closed: CTAs that only launches of more trips have
// global races  unknown        7 shapes run on the machine, all CTAs, one schedule; 14 of 14 boundary values of dims and args shown (`y` not proven); unknown blocks
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       7 shapes run on the machine, all CTAs, one schedule; 14 of 14 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
