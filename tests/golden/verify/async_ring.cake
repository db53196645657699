// mode: gates
program p target sm_80
dim T in 1..=9
in x: f32[T, 128]
out y: f32[T, 128]
kernel k {
  grid (1)
  ring rows[3] { line: f32[128] } from load to store
  role load: warps 1 {
    for t in 0..T {
      acquire rows@t
      cp.async rows.line@t[lane*4:+4] <- x[t, lane*4:+4]
      commit rows@t
    }
  }
  role store: warps 2 {
    for t in 0..T {
      wait rows@t
      for j in 0..2 { st y[t, j*64 + thread] <- ld rows.line@t[127 - j*64 - thread] }
      release rows@t
    }
  }
}
//--- expected
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         7 of 7 index operations proved, for every shape that the guard admits
// races         bounded        6 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 10 not closed: no state came again in 5 cuts, so known of at most 6 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        6 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 10 not closed: no state came again in 5 cuts, so known of at most 6 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P5 checked in each run; P6 assumed)
// definedness   bounded        6 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; the loop in line 10 not closed: no state came again in 5 cuts, so known of at most 6 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
