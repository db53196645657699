// mode: gates
program p target sm_80
inout n: i32[32]
kernel run {
  grid (1)
  role main: warps 1 {
    red.add.relaxed.cluster(n[lane], 1)
    fence cluster
    let old = atomic.add.acq_rel.cluster(n[lane], 1)
  }
}
//--- expected
// error[CK3201]: `red.add.relaxed.cluster` needs sm_90; the target is sm_80
//   --> fail_cluster_scope.cake:7:5
//    7 |     red.add.relaxed.cluster(n[lane], 1)
//      |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: an instruction exists from one architecture on, or on one only (`a` targets)
//
// error[CK3201]: `fence cluster` needs sm_90; the target is sm_80
//   --> fail_cluster_scope.cake:8:5
//    8 |     fence cluster
//      |     ^^^^^^^^^^^^^
//   why: an instruction exists from one architecture on, or on one only (`a` targets)
//
// error[CK3201]: `atomic.add.acq_rel.cluster` needs sm_90; the target is sm_80
//   --> fail_cluster_scope.cake:9:15
//    9 |     let old = atomic.add.acq_rel.cluster(n[lane], 1)
//      |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//   why: an instruction exists from one architecture on, or on one only (`a` targets)
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`n` disjoint)
// deadlock      bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// interleavings bounded        orders that ran: 2 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs
// definedness   bounded        1 shape run on the machine, all CTAs, two schedules; threads learn from each other: two orders of many ran
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
