// mode: gates
program reduce target sm_80
dim N in 1..=100000
in x: f32[N]
out y: f32[N]
workspace part: f32[1024]
where SMS <= 1024
kernel run {
  grid (SMS)
  role main: warps 1 {
    var sum: f32 = 0.0
    for i in cta*32 + lane..N step ctas*32 { sum += ld x[i] }
    let total = lanes.sum(sum, 32)
    once { st part[cta] <- total }
    grid.sync
    var all: f32 = 0.0
    for c in 0..ctas { all += ld part[c] }
    for i in cta*32 + lane..N step ctas*32 { st y[i] <- (ld x[i]) - all }
  }
}
//--- expected
// bounds        proved         7 of 7 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         6 of 6 index operations proved, for every shape that the guard admits
// races         explored       9 shapes run on the machine, all CTAs, two schedules; 10 of 10 boundary values of dims and args shown; the loop in line 18 not closed: no state came again in 0 cuts
// global races  bounded        9 shapes run on the machine, all CTAs, two schedules; 10 of 10 boundary values of dims and args shown (`y` disjoint, `part` not proven)
// deadlock      explored       9 shapes run on the machine, all CTAs, two schedules; 10 of 10 boundary values of dims and args shown; the loop in line 18 not closed: no state came again in 0 cuts
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   explored       9 shapes run on the machine, all CTAs, two schedules; 10 of 10 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
