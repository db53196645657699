// mode: gates
program p target sm_90a
in a: b1x8[16, 16], b: b1x8[8, 16]
out y: i32[16, 8]
kernel k {
  grid (1)
  role main: warps 1 {
    var fa: mma.a b1x8[16, 16]
    var fb: mma.b b1x8[16, 8]
    var acc: mma i32[16, 8]
    for (r, e) in fa { fa[r, e] = ld a[fa.row(r), fa.col(e)] }
    for (r, e) in fb { fb[r, e] = ld b[fb.col(e), fb.row(r)] }
    mma.xor acc = fa * fb
    for (r, e) in acc { st y[acc.row(r), acc.col(e)] <- acc[r, e] }
  }
}
//--- expected
// warning[CK2456]: sm_90a has no tensor core for `mma` of b1x8: each 16 x 8 x 32 B is a routine of 25 instructions
//   --> mma_of_bits_by_routine.cake:13:5
//   13 |     mma.xor acc = fa * fb
//      |     ^^^^^^^^^^^^^^^^^^^^^
//   why: the assembler accepts the product and calls code of its own; products of i8 are one instruction there
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
