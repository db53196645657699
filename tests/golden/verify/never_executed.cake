// mode: gates
program p target sm_80
in x: i32[64]
out y: i32[64]
kernel k {
  grid (1)
  role main: warps 2 {
    let v = ld x[thread]
    if v * v == 1234567 { st y[thread] <- 0 } else { st y[thread] <- v }
  }
}
//--- expected
// advice[CK2571]: no run of the machine gets here
//   --> never_executed.cake:9:27
//    9 |     if v * v == 1234567 { st y[thread] <- 0 } else { st y[thread] <- v }
//      |                           ^^^^^^^^^^^^^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes with arbitrary data; what no run executes has been type-checked and proven in bounds, no more
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         bounded        1 shape run on the machine, all CTAs, one schedule; 1 place never executed (line 9)
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   bounded        1 shape run on the machine, all CTAs, one schedule; 1 place never executed (line 9)
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
