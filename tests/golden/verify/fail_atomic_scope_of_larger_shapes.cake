// mode: gates
program p target sm_80
dim N in 1..=1048576
in x: i32[N]
inout n: i32[1]
kernel k {
  grid (ceildiv(N, 65536))
  role main: warps 1 {
    for i in cta*65536 + lane .. min(N, (cta + 1)*65536) step 32 { red.add.relaxed.cta(n[0], ld x[i]) }
  }
}
//--- expected
// error[CK2160]: `red.add.relaxed.cta` of `n` by CTA 1 and `red.add.relaxed.cta` by CTA 0 have scopes that do not reach each other
//   --> fail_atomic_scope_of_larger_shapes.cake:9:88
//    9 |     for i in cta*65536 + lane .. min(N, (cta + 1)*65536) step 32 { red.add.relaxed.cta(n[0], ld x[i]) }
//      |                                                                                        ^^^^
//    9 |     for i in cta*65536 + lane .. min(N, (cta + 1)*65536) step 32 { red.add.relaxed.cta(n[0], ld x[i]) }
//      |                                                                    ---------------------------------- `red.add.relaxed.cta` here by role main, warp 0, CTA 0
//   at: role main, cta 1, warp 0, lane 0, iteration 0, bytes 0..4, N=65537
//   why: an access with scope `cta` is ordered, and a single step, for threads of its own CTA only
//   fix (machine): widen the scope to `gpu`
//     9:83: `.cta` -> `.gpu`
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         explored       10 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// global races  refuted        10 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; shown wrong at N=65537 (`n` not proven)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       10 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here
