// mode: gates
program uv target sm_80
dim N in 1..=100000
in x: f32[N, 32]
out y: f32[N, 32]
kernel run {
  grid (N)
  role main: warps 1 {
    var b: f32
    for i in N/2..min(N, 40000) { b = cvt.f32(i) }
    st y[cta, lane] <- b + ld x[cta, lane]
  }
}
//--- expected
// advice[CK2532]: no run of the machine finds this loop without an iteration
//   --> hidden_end_of_loop.cake:10:19
//   10 |     for i in N/2..min(N, 40000) { b = cvt.f32(i) }
//      |                   ^^^^^^^^^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes; what it does where the condition has the other value, a step left out or taken, has not been seen
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         1 of 1 index operations proved, for every shape that the guard admits
// races         bounded        7 shapes run on the machine, all CTAs, one schedule; 5 of 5 boundary values of dims and args shown; 1 place never executed (line 10)
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   bounded        7 shapes run on the machine, all CTAs, one schedule; 5 of 5 boundary values of dims and args shown; 1 place never executed (line 10)
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
