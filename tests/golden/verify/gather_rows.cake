// mode: gates
program p target sm_100
dim N in 1..=4096, M in 1..=1024
in x: bf16[N, 64], rows: i32[8*M]
out y: bf16[8*M, 64]
where rows in -1..N
kernel k {
  grid (M)
  smem tile: bf16[8, 64] swizzle 128
  event full[1] count 1
  role main: warps 1 {
    for i in 0..2 {
      let r = ld rows[cta*8 + i*4:+4]
      tma.gather4 tile[i*4:+4, :] <- x[r, :] on full@0
    }
    expect full@0
    wait full@0
    for i in 0..8 { st y[cta*8 + i, lane*2:+2] <- ld tile[i, lane*2:+2] }
  }
}
//--- expected
// bounds        proved         9 of 9 accesses and indices proved, for every shape that the guard admits
// alignment     proved         5 of 5 vector accesses proved, for every shape that the guard admits
// overflow      proved         9 of 9 index operations proved, for every shape that the guard admits
// races         explored       5 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       5 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   explored       5 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: rows in -1..N; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete; sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
