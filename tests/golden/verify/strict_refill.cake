// mode: gates-strict
program p target sm_90
dim K in 1..=8
in x: f32[K, 32]
out y: f32[K, 32]
kernel k {
  grid (1)
  smem s: f32[32]
  event full[1] count 1
  event free[1] count 1
  role load: warps 1 {
    for k in 0..K {
      wait free@(k - 1)
      bulk.load s <- x[k, :] on full@k
      expect full@k
    }
  }
  role copy: warps 1 {
    for k in 0..K {
      wait full@k
      st y[k, lane] <- ld s[lane]
      fence async
      arrive free@k
    }
  }
}
//--- expected
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     proved         2 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         explored       5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; every trip count of the loop in line 12: what is known of shared memory and barriers after 3 trips is known again 1 trip later
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      explored       5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown; every trip count of the loop in line 12: what is known of shared memory and barriers after 3 trips is known again 1 trip later
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   explored       5 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
