// mode: gates
program p target sm_80
in x: f32[32, 4]
inout total: f32[4], half: bf16[2]
kernel run {
  grid (1)
  role main: warps 1 {
    red.add.relaxed.gpu(total[0:+4], ld x[lane, 0:+4])
    let old = atomic.add.relaxed.gpu(half[0], cvt.bf16(1.0))
  }
}
//--- expected
// error[CK3201]: `red.add.relaxed.gpu` of 4 `f32` needs sm_90; the target is sm_80
//   --> fail_atomic_neighbours_need_sm90.cake:8:5
//    8 |     red.add.relaxed.gpu(total[0:+4], ld x[lane, 0:+4])
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: an instruction exists from one architecture on, or on one only (`a` targets)
//
// error[CK3201]: `atomic.add.relaxed.gpu` of 1 `bf16` needs sm_90; the target is sm_80
//   --> fail_atomic_neighbours_need_sm90.cake:9:15
//    9 |     let old = atomic.add.relaxed.gpu(half[0], cvt.bf16(1.0))
//      |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: an instruction exists from one architecture on, or on one only (`a` targets)
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      not applicable there are no index operations
// races         bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`total` disjoint, `half` disjoint)
// deadlock      bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// interleavings bounded        orders that ran: 2 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs
// definedness   bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here
