// mode: gates
program histogram target sm_80
dim N in 0..=100000
in x: i32[N]
out y: i32[N]
inout count: u32[64]
where x in 0..64
kernel run {
  grid (SMS)
  smem bins: u32[64]
  role main: warps 2 {
    st bins[thread] <- 0
    sync cta
    for i in cta*64 + thread..N step ctas*64 {
      let b = ld x[i]
      if b >= 0 && b < 64 { red.add.relaxed.cta(bins[b], 1) }
      st y[i] <- b
    }
    sync cta
    red.add.relaxed.gpu(count[thread], ld bins[thread])
  }
}
//--- expected
// bounds        proved         7 of 7 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         3 of 3 index operations proved, for every shape that the guard admits
// races         explored       12 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown; the loop in line 14 not closed: a condition that is no threshold and no remainder
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint, `count` disjoint)
// deadlock      explored       12 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown; the loop in line 14 not closed: a condition that is no threshold and no remainder
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   explored       12 shapes run on the machine, all CTAs, one schedule; 10 of 10 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: x in 0..64; SMS is in 1..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
