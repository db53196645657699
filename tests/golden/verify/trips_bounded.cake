// mode: gates
program p target sm_80
dim T in 1..=1000
in counts: i32[1]
in x: f32[32*T]
inout y: f32[32*T]
kernel k {
  grid (1)
  ring rows[3] { line: f32[32] } from load to store
  role load: warps 1 {
    let trips = min(ld counts[0], T)
    for t in 0..trips {
      acquire rows@t
      st rows.line@t[lane] <- ld x[32*t + lane]
      commit rows@t
    }
  }
  role store: warps 1 {
    let trips = min(ld counts[0], T)
    for t in 0..trips {
      wait rows@t
      st y[32*t + lane] <- ld rows.line@t[31 - lane]
      release rows@t
    }
  }
}
//--- expected
// advice[CK2532]: no run of the machine finds this with `ld counts[0]` above `T`
//   --> trips_bounded.cake:11:17
//   11 |     let trips = min(ld counts[0], T)
//      |                 ^^^^^^^^^^^^^^^^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes; what it does where the condition has the other value, a step left out or taken, has not been seen
//
// advice[CK2590]: no run of the machine repeats this loop more than 1 times; 6 would show all that can go wrong
//   --> trips_bounded.cake:12:5
//   12 |     for t in 0..trips {
//      |     ^^^^^^^^^^^^^^^^^^^
//   why: a slot, generation or group that is used again too early is first touched by the trip that comes round to it: stages, lag and the constants of conditions, and 3 trips more
//   fix (manual): count the trips from dims, and let the guard admit small shapes with that many
//
// advice[CK2532]: no run of the machine finds this loop without an iteration
//   --> trips_bounded.cake:12:17
//   12 |     for t in 0..trips {
//      |                 ^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes; what it does where the condition has the other value, a step left out or taken, has not been seen
//
// advice[CK2532]: no run of the machine finds this with `ld counts[0]` above `T`
//   --> trips_bounded.cake:19:17
//   19 |     let trips = min(ld counts[0], T)
//      |                 ^^^^^^^^^^^^^^^^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes; what it does where the condition has the other value, a step left out or taken, has not been seen
//
// advice[CK2590]: no run of the machine repeats this loop more than 1 times; 6 would show all that can go wrong
//   --> trips_bounded.cake:20:5
//   20 |     for t in 0..trips {
//      |     ^^^^^^^^^^^^^^^^^^^
//   why: a slot, generation or group that is used again too early is first touched by the trip that comes round to it: stages, lag and the constants of conditions, and 3 trips more
//   fix (manual): count the trips from dims, and let the guard admit small shapes with that many
//
// advice[CK2532]: no run of the machine finds this loop without an iteration
//   --> trips_bounded.cake:20:17
//   20 |     for t in 0..trips {
//      |                 ^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes; what it does where the condition has the other value, a step left out or taken, has not been seen
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         5 of 5 index operations proved, for every shape that the guard admits
// races         bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; 4 places never executed (line 11, 12, 19, 20); loop in line 12: at most 1 trip run of 6 needed; loop in line 20: at most 1 trip run of 6 needed; the loop in line 12 not closed: trips that data or variables decide, so known of at most 1 trip
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; 4 places never executed (line 11, 12, 19, 20); loop in line 12: at most 1 trip run of 6 needed; loop in line 20: at most 1 trip run of 6 needed; the loop in line 12 not closed: trips that data or variables decide, so known of at most 1 trip
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P5 checked in each run; P6 assumed)
// definedness   bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; 4 places never executed (line 11, 12, 19, 20); loop in line 12: at most 1 trip run of 6 needed; loop in line 20: at most 1 trip run of 6 needed; the loop in line 12 not closed: trips that data or variables decide, so known of at most 1 trip
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
