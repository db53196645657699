// mode: gates
program scatter target sm_80
dim N in 1..=4096
in ids: i32[N], x: f32[N]
out y: f32[N]
where ids in -1..N, distinct(ids)
kernel run {
  grid (N)
  role main: warps 1 {
    once {
      let id = ld ids[cta]
      if id >= 0 { st y[id] <- ld x[cta] }
    }
  }
}
//--- expected
// bounds        proved         3 of 3 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: ids in -1..N; contents: distinct(ids); tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
