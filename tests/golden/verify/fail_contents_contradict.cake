// mode: gates
program never target sm_80
dim N in 1..=4096
in ids: i32[N]
out y: i32[N]
where ids in 0..N, ids[0] == N
kernel run {
  grid (1)
  role main: warps 1 { for i in lane..N step 32 { st y[i] <- ld ids[i] } }
}
//--- expected
// error[CK2534]: no shape that was tried has contents as `where` wants them: no contents satisfy `ids[0] == N`
//   --> fail_contents_contradict.cake:6:20
//    6 | where ids in 0..N, ids[0] == N
//      |                    ^^^^^^^^^^^
//    6 | where ids in 0..N, ids[0] == N
//      |       ----------- together with this
//   why: races, deadlocks and unwritten values are looked for by running the program with contents that the contracts allow; none were found
//   fix (manual): weaken one of them
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         unknown        0 shapes run on the machine, all CTAs, one schedule; 0 of 8 boundary values of dims and args shown; 8 not run; unknown blocks
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   unknown        0 shapes run on the machine, all CTAs, one schedule; 0 of 8 boundary values of dims and args shown; 8 not run
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: ids in 0..N; contents: ids[0] == N; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
