// mode: gates
program p target sm_80
dim M in 1..=100, N in 1..=64
out y: f32[M, N] stride (sy, 1)
kernel k {
  grid (M)
  role main: warps 2 { if thread < N { st y[cta, thread] <- 1.0 } }
}
//--- expected
// error[CK2570]: the strides of `y` are not known to keep its elements apart
//   --> fail_overlapping_strides.cake:4:5
//    4 | out y: f32[M, N] stride (sy, 1)
//      |     ^
//   why: with a smaller stride two indices are one address, and CTAs that write different elements overwrite each other's
//   fix (machine): require it: `where sy >= N`
//     5:1: insert `where sy >= N\n`
// bounds        proved         1 of 1 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       7 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// global races  unknown        7 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown (`y` not proven: its strides may overlap); unknown blocks
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       7 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
