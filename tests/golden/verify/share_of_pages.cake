// mode: gates
program p target sm_90
dim B in 1..=4096, P in 1..=4096
param SPLITS in {1, 2} = 2
in lens: i32[B], table: i32[B, P]
out y: i32[SPLITS, B]
where lens in 0..=16*P
kernel k {
  grid (SPLITS, B)
  role main: warps 4 {
    let b = cta.y
    let len = ld lens[b]
    let pages = ceildiv(len, 16)
    let share = ceildiv(pages, SPLITS)
    let first = min(cta.x*share, pages)
    let own = select(warp < 3, min(share, pages - first), 0)
    var page = 0
    if own > 0 { page = ld table[b, first] }
    let sum = lanes.max(page, 32)
    if thread == 0 { st y[cta.x, b] <- sum }
  }
}
//--- expected
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         explored       21 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       21 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: lens in 0..=16*P; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
