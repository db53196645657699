// mode: gates
program never target sm_80
dim M in 1..=1000, N in 1..=4096
out y: f32[N]
where M >= 2, N > 10, N % 4 == 0, N < 9
kernel run {
  grid (1)
  role main: warps 1 { for i in lane..N step 32 { st y[i] <- 1.0 } }
}
//--- expected
// error[CK2533]: no launch satisfies `N > 10` and `N < 9`
//   --> fail_guards_contradict.cake:5:35
//    5 | where M >= 2, N > 10, N % 4 == 0, N < 9
//      |                                   ^^^^^
//    5 | where M >= 2, N > 10, N % 4 == 0, N < 9
//      |               ------ together with this
//   why: what no launch satisfies makes every proof hold of nothing; the launcher would refuse every call
//   fix (manual): weaken one of them
// bounds        proved         1 of 1 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         unknown        0 shapes run on the machine, all CTAs, one schedule; unknown blocks
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   unknown        0 shapes run on the machine, all CTAs, one schedule
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
