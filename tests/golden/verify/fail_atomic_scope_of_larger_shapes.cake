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
// error[CK2530]: two CTAs are not known to touch different elements of `n`
//   --> fail_atomic_scope_of_larger_shapes.cake:9:88
//    9 |     for i in cta*65536 + lane .. min(N, (cta + 1)*65536) step 32 { red.add.relaxed.cta(n[0], ld x[i]) }
//      |                                                                                        ^^^^
//   why: nothing orders the CTAs of a launch: where two of them touch one element and one writes it, the result is either's; the shapes that ran do not show it, larger ones may
//   fix (manual): let each CTA touch elements of its own: an index that grows with `cta` by at least what the CTA touches; of numbers that come from memory say `distinct(..)` in `where`; sum up with `red.add`; or part the two accesses by `grid.sync` or into two kernels
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// global races  unknown        8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown (`n` not proven); unknown blocks
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here
