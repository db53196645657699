// mode: gates
program p target sm_80
dim E in 1..=64, T in 1..=100000
const MANY = 1 << 30  // uses of the ring: more than any guard admits
in off: i32[E+1]
in x: f32[T, 32]
out y: f32[32]
where off in 0..=T, steps(off) in 0..=T
kernel k {
  grid (1)
  ring row[2] { v: f32[32] } from load to add
  role load: warps 1 {
    var it = 0
    for e in 0..E {
      for r in ld off[e]..ld off[e+1] {
        for half in 0..2 {
          acquire row@it
          st row.v@it[lane] <- ld x[r, lane]
          commit row@it
          if it < MANY { it += 1 }
        }
      }
    }
  }
  role add: warps 1 {
    var it = 0
    var s: f32 = 0.0
    for e in 0..E {
      for r in ld off[e]..ld off[e+1] {
        for half in 0..2 {
          wait row@it
          s += ld row.v@it[lane]
          release row@it
          if it < MANY { it += 1 }
        }
      }
    }
    st y[lane] <- s
  }
}
//--- expected
// advice[CK2532]: no run of the machine finds this condition false
//   --> uses_below_a_bound.cake:20:14
//   20 |           if it < MANY { it += 1 }
//      |              ^^^^^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes; what it does where the condition has the other value, a step left out or taken, has not been seen
//
// advice[CK2532]: no run of the machine finds this condition false
//   --> uses_below_a_bound.cake:34:14
//   34 |           if it < MANY { it += 1 }
//      |              ^^^^^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes; what it does where the condition has the other value, a step left out or taken, has not been seen
// bounds        proved         8 of 8 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         bounded        9 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; 2 places never executed (line 20, 34); the loop in line 14 not closed: a loop inside whose trips are no constant, so known of at most 6 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        9 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; 2 places never executed (line 20, 34); the loop in line 14 not closed: a loop inside whose trips are no constant, so known of at most 6 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P5 checked in each run; P6 assumed)
// definedness   bounded        9 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; 2 places never executed (line 20, 34); the loop in line 14 not closed: a loop inside whose trips are no constant, so known of at most 6 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: off in 0..=T; contents: steps(off) in 0..=T; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
