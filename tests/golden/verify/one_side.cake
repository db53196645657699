// mode: gates
program sides target sm_80
dim N in 1..=1000000
in x: f32[N, 64]
out y: f32[N, 64]
kernel run {
  grid (1)
  smem s: f32[64]
  role main: warps 2 {
    for i in 0..N {
      st s[thread] <- ld x[i, thread]
      sync role
      st y[i, thread] <- ld s[63 - thread]
      if i / 7 * 7 != 654318 { sync role }
    }
  }
}
//--- expected
// advice[CK2532]: no run of the machine finds this condition false
//   --> one_side.cake:14:10
//   14 |       if i / 7 * 7 != 654318 { sync role }
//      |          ^^^^^^^^^^^^^^^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes; what it does where the condition has the other value, a step left out or taken, has not been seen
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         3 of 3 index operations proved, for every shape that the guard admits
// races         bounded        14 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 14); the loop in line 10 not closed: a condition that is no threshold and no remainder, so known of at most 57 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        14 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 14); the loop in line 10 not closed: a condition that is no threshold and no remainder, so known of at most 57 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   bounded        14 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 14); the loop in line 10 not closed: a condition that is no threshold and no remainder, so known of at most 57 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
