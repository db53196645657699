// mode: gates
program p target sm_80
in x: i32[64]
inout n: i32[1]
kernel run {
  grid (2)
  role main: warps 1 {
    red.add.relaxed.cta(n[0], ld x[cta*32 + lane])
  }
}
//--- expected
// error[CK2160]: `red.add.relaxed.cta` of `n` by CTA 1 and `red.add.relaxed.cta` by CTA 0 have scopes that do not reach each other
//   --> fail_atomic_scope.cake:8:25
//    8 |     red.add.relaxed.cta(n[0], ld x[cta*32 + lane])
//      |                         ^^^^
//    8 |     red.add.relaxed.cta(n[0], ld x[cta*32 + lane])
//      |     ---------------------------------------------- `red.add.relaxed.cta` here by role main, warp 0, CTA 0
//   at: role main, cta 1, warp 0, lane 0, bytes 0..4
//   why: an access with scope `cta` is ordered, and a single step, for threads of its own CTA only
//   fix (machine): widen the scope to `gpu`
//     8:20: `.cta` -> `.gpu`
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  refuted        1 shape run on the machine, all CTAs, one schedule; shown wrong at the only shape (`n` not proven)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here
