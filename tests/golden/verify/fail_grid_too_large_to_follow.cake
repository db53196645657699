// mode: gates
program flags target sm_80
out y: u32[4096]
kernel run {
  grid (4096)
  role main: warps 16 { once { st.release.gpu y[cta] <- 1 } }
}
//--- expected
// error[CK2170]: the CTAs of kernel `run` have 65537 warps to follow side by side, too many for the reference machine, which numbers 4854
//   --> fail_grid_too_large_to_follow.cake:4:8
//    4 | kernel run {
//      |        ^^^
//   why: every warp is compared with every other; use a smaller shape for the check
// bounds        proved         1 of 1 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, two schedules
// global races  refuted        1 shape run on the machine, all CTAs, two schedules; shown wrong at the only shape (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, two schedules
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here
