// mode: gates
program wide target sm_100a
dim M in 1..=1000
in x: f32[M, 256]
out y: f32[M, 256]
where align(x) % 32 == 0
kernel run {
  grid (M)
  role main: warps 1 { st y[cta, lane*8:+8] <- ld x[cta, lane*8:+8] }
}
//--- expected
// error[CK2535]: access to `y` of 32 bytes is not proven aligned: the tensor begins at a multiple of 16
//   --> fail_base_alignment.cake:9:27
//    9 |   role main: warps 1 { st y[cta, lane*8:+8] <- ld x[cta, lane*8:+8] }
//      |                           ^^^^^^^^^^^^^^^^^
//   why: a vector access must begin at a multiple of its own size, or the GPU faults; the launcher checks where a tensor begins as far as `where` asks
//   fix (machine): require it: `where align(y) % 32 == 0`
//     7:1: insert `where align(y) % 32 == 0\n`
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     unknown        1 of 2 vector accesses proved, for every shape that the guard admits; unknown blocks
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); `x` begins at a multiple of 32 bytes (the launcher checks); sm_100a: never run on hardware
// hardware      unknown        sm_100a: never run on hardware
