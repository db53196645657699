// mode: gates
program p target sm_100a
in x: bf16[128, 8]
out y: bf16[128, 8]
kernel k {
  grid (1)
  tmem t: bf16[128, 64]
  role main: warps 4 {
    var f: tmem.32x32b bf16[128, 8]
    for c in 0..2 {
      for e in 0..f.cols { f[0, e] = ld x[f.row(0), e] }
      tmem.st t[:, c:+8] <- f
      tmem.wait st
    }
    tmem.ld f <- t[:, 0:+8]
    tmem.wait ld
    for e in 0..f.cols { st y[f.row(0), e] <- f[0, e] }
  }
}
//--- expected
// error[CK2449]: `t[:, c:+8]`: the slice begins at bit 16, inside of a column
//   --> fail_tmem_slice_in_column.cake:12:15
//   12 |       tmem.st t[:, c:+8] <- f
//      |               ^^^^^^^^^^
//   at: role main, cta 0, warp 0, iteration 1
//   why: PTX ISA, tensor memory addressing: a column is 32 bits
// bounds        proved         8 of 8 accesses and indices proved, for every shape that the guard admits
// alignment     refuted        1 of 2 vector accesses proved, for every shape that the guard admits; shown wrong at the only shape
// overflow      not applicable there are no index operations
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       1 shape run on the machine, all CTAs, one schedule
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
