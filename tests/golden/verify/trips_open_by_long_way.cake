// mode: gates
program p target sm_90
dim N in 1..=4000
in x: f32[N, 32]
out y: f32[N, 32]
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
    let a0 = N
    let a1 = a0 + 1
    let a2 = a1 + 1
    let a3 = a2 + 1
    let a4 = a3 + 1
    let a5 = a4 + 1
    let a6 = a5 + 1
    let a7 = a6 + 1
    let a8 = a7 + 1
    let a9 = a8 + 1
    let a10 = a9 + 1
    let a11 = a10 + 1
    let a12 = a11 + 1
    let a13 = a12 + 1
    let a14 = a13 + 1
    let a15 = a14 + 1
    let a16 = a15 + 1
    let a17 = a16 + 1
    let a18 = a17 + 1
    let a19 = a18 + 1
    let a20 = a19 + 1
    let a21 = a20 + 1
    let a22 = a21 + 1
    let a23 = a22 + 1
    let a24 = a23 + 1
    let a25 = a24 + 1
    let a26 = a25 + 1
    let a27 = a26 + 1
    let a28 = a27 + 1
    let a29 = a28 + 1
    let a30 = a29 + 1
    let a31 = a30 + 1
    let a32 = a31 + 1
    let a33 = a32 + 1
    let a34 = a33 + 1
    let a35 = a34 + 1
    let a36 = a35 + 1
    for k in 0..N {
      wait full@k
      st y[k, lane] <- ld s@k[lane]
      if a36 != 400 { arrive free@k }
    }
  }
}
//--- expected
// advice[CK2532]: no run of the machine finds this condition false
//   --> trips_open_by_long_way.cake:59:10
//   59 |       if a36 != 400 { arrive free@k }
//      |          ^^^^^^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes; what it does where the condition has the other value, a step left out or taken, has not been seen
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         bounded        13 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; 1 place never executed (line 59); the loop in line 12 not closed: variables that decide inside the loop, so known of at most 801 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        13 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; 1 place never executed (line 59); the loop in line 12 not closed: variables that decide inside the loop, so known of at most 801 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P5 checked in each run; P6 assumed)
// definedness   bounded        13 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; 1 place never executed (line 59); the loop in line 12 not closed: variables that decide inside the loop, so known of at most 801 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
