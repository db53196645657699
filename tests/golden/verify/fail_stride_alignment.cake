// mode: gates
program p target sm_80
dim M in 1..=1000, N in 4..=1000
in x: f32[M, N]
out y: f32[M, N]
kernel copy {
  grid (M, ceildiv(N, 128))
  role main: warps 1 {
    let c = cta.y*128 + lane*4
    if c + 4 <= N { st y[cta.x, c:+4] <- ld x[cta.x, c:+4] }
  }
}
//--- expected
// error[CK2006]: `y[cta.x, c:+4]`: a vector of 16 bytes starts at byte 20, which is not a multiple of it
//   --> fail_stride_alignment.cake:10:24
//   10 |     if c + 4 <= N { st y[cta.x, c:+4] <- ld x[cta.x, c:+4] }
//      |                        ^^^^^^^^^^^^^^
//   at: role main, cta 1, warp 0, lane 0, M=2, N=5
//   why: a vector access must be aligned to its own size, or the hardware faults
//   fix (manual): require it: `where N % 4 == 0`
//
// error[CK2006]: `x[cta.x, c:+4]`: a vector of 16 bytes starts at byte 20, which is not a multiple of it
//   --> fail_stride_alignment.cake:10:45
//   10 |     if c + 4 <= N { st y[cta.x, c:+4] <- ld x[cta.x, c:+4] }
//      |                                             ^^^^^^^^^^^^^^
//   at: role main, cta 1, warp 0, lane 0, M=2, N=5
//   why: a vector access must be aligned to its own size, or the hardware faults
//   fix (manual): require it: `where N % 4 == 0`
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     refuted        0 of 2 vector accesses proved, for every shape that the guard admits; shown wrong at M=2, N=5
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         explored       10 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        10 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown; shown wrong at M=1, N=9
// convergence   not applicable there are no collectives
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
