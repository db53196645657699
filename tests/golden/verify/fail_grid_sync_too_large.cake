// mode: gates
program p target sm_80
dim N in 1..=100000
in x: f32[N, 32]
out y: f32[N, 32]
workspace part: f32[N, 32]
kernel run {
  grid (N)
  role main: warps 1 {
    st part[cta, lane] <- ld x[cta, lane]
    grid.sync
    st y[cta, lane] <- ld part[N - 1 - cta, lane]
  }
}
//--- expected
// error[CK2550]: kernel `run` meets in `grid.sync`, but its grid is not shown to fit: 8 CTAs an SM are sure, on the 108 SMs of sm_80
//   --> fail_grid_sync_too_large.cake:8:9
//    8 |   grid (N)
//      |         ^
//   why: CTAs that are not on the device cannot arrive, and those that wait for them keep their places
//   fix (manual): launch `grid (SMS)` and loop over the tiles with `step ctas`
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown
// global races  bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown (`y` disjoint, `part` not proven)
// deadlock      explored       4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P5 checked in each run; P6 assumed)
// definedness   explored       4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     unknown        1 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
