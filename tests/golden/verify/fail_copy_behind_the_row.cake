// mode: gates
program p target sm_90
in x: i8[32, 512]
out y: i8[32, 466] stride (512, 1)
kernel k {
  grid (1)
  smem s: i8[32, 128]
  event full[1] count 1
  role main: warps 1 {
    for c in 0..4 {
      tma.load s <- x[:, c*128:+128] on full@c
      expect full@c
      wait full@c
      once { tma.store y[:, c*128:+128] <- s; tma.commit; tma.wait.read 0 }
      sync role
    }
  }
}
//--- expected
// error[CK2547]: rows of `y` may end inside of 16 bytes that this copy writes whole: it needs `466 % 16 == 0`
//   --> fail_copy_behind_the_row.cake:14:24
//   14 |       once { tma.store y[:, c*128:+128] <- s; tma.commit; tma.wait.read 0 }
//      |                        ^^^^^^^^^^^^^^^^
//    4 | out y: i8[32, 466] stride (512, 1)
//      |     - declared here
//   why: tensor copies leave elements outside of the tensor out by pieces of 16 bytes of global memory, as stores on sm_90 show: what shares a piece with the last element is written over
//   fix (manual): require it: `where 466 % 16 == 0`, or store the last piece of a row by threads
// bounds        unknown        4 of 5 accesses and indices proved, for every shape that the guard admits; unknown blocks
// alignment     proved         4 of 4 vector accesses proved, for every shape that the guard admits
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
