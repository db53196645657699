// mode: gates
program p target sm_100a
in x: f32[256]
out y: f32[256]
kernel k {
  grid (1)
  role main: warps 1 { let v = ld x[lane*8:+8]; st y[lane*8:+4] <- [v[0], v[3], v[4], v[7]] }
}
//--- expected
// error[CK2572]: access to `x` of 32 bytes; the tensor begins at a multiple of 16
//   --> fail_aligned_base.cake:7:35
//    7 |   role main: warps 1 { let v = ld x[lane*8:+8]; st y[lane*8:+4] <- [v[0], v[3], v[4], v[7]] }
//      |                                   ^^^^^^^^^^^^
//   why: a vector access must begin at a multiple of its own size, or the GPU faults
//   fix (machine): require it: `where align(x) % 32 == 0`
//     5:1: insert `where align(x) % 32 == 0\n`
// bounds        proved         6 of 6 accesses and indices proved, for every shape that the guard admits
// alignment     unknown        1 of 2 vector accesses proved, for every shape that the guard admits
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         explored       1 shape run on the machine, all CTAs, one schedule
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// definedness   explored       1 shape run on the machine, all CTAs, one schedule
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
