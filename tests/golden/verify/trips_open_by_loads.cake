// mode: gates
program p target sm_90
dim N in 1..=4000
in x: f32[N, 32]
in skip: i32[1]
out y: f32[N, 32]
where skip[0] in 0..N
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
    let from = ld skip[0]
    for k in 0..N {
      wait full@k
      st y[k, lane] <- ld s@k[lane]
      if from != 40 { arrive free@k }
    }
  }
}
//--- expected
// advice[CK2532]: no run of the machine finds this condition false
//   --> trips_open_by_loads.cake:25:10
//   25 |       if from != 40 { arrive free@k }
//      |          ^^^^^^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes; what it does where the condition has the other value, a step left out or taken, has not been seen
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         bounded        8 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 25); the loop in line 14 not closed: loaded values that decide inside the loop, so known of at most 40 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        8 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 25); the loop in line 14 not closed: loaded values that decide inside the loop, so known of at most 40 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P5 checked in each run; P6 assumed)
// definedness   bounded        8 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 25); the loop in line 14 not closed: loaded values that decide inside the loop, so known of at most 40 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: skip[0] in 0..N; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
