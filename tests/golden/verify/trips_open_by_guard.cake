// mode: gates
program p target sm_90
dim N in 1..=4000, M in 1..=4000
in x: f32[N, 32]
out y: f32[N, 32]
where M <= N
kernel k {
  grid (1)
  smem s[2]: f32[32]
  event full[2] count 1
  event free[2] count 1
  role fill: warps 1 {
    for k in 0..N {
      wait free@(k - 2)
      st s@k[lane] <- ld x[k, lane]
      arrive full@k
    }
  }
  role drain: warps 1 {
    for k in 0..N {
      wait full@k
      st y[k, lane] <- ld s@k[lane]
      if M != 40 { arrive free@k }
    }
  }
}
//--- expected
// advice[CK2532]: no run of the machine finds this condition false
//   --> trips_open_by_guard.cake:23:10
//   23 |       if M != 40 { arrive free@k }
//      |          ^^^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes; what it does where the condition has the other value, a step left out or taken, has not been seen
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         bounded        8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; 1 place never executed (line 23); the loop in line 13 not closed: numbers that change with the trip count, so known of at most 7 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; 1 place never executed (line 23); the loop in line 13 not closed: numbers that change with the trip count, so known of at most 7 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P5 checked in each run; P6 assumed)
// definedness   bounded        8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; 1 place never executed (line 23); the loop in line 13 not closed: numbers that change with the trip count, so known of at most 7 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
