// mode: gates
program two target sm_80
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
workspace half: f32[N]
kernel first {
  grid (ceildiv(N, 32))
  role main: warps 1 {
    let i = cta*32 + lane
    if i < N / 2 { st half[i] <- 0.5 * (ld x[i]) }
  }
}
kernel second {
  grid (ceildiv(N, 32))
  role main: warps 1 {
    let i = cta*32 + lane
    if i < N { st y[i] <- ld half[N - 1 - i] }
  }
}
kernel tail when N > 32 {
  grid (1)
  role main: warps 1 { st y[lane] <- 0.0 }
}
//--- expected
// error[CK2010]: `half[N - 1 - i]` reads bytes that nothing has written, and the value is used
//   --> fail_workspace_half_written.cake:18:30
//   18 |     if i < N { st y[i] <- ld half[N - 1 - i] }
//      |                              ^^^^^^^^^^^^^^^
//   18 |     if i < N { st y[i] <- ld half[N - 1 - i] }
//      |                ----------------------------- the value is stored to global memory here
//   at: role main, cta 0, warp 0, lane 0, N=1
//   why: unwritten memory holds whatever the last user of these bytes left there
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         7 of 7 index operations proved, for every shape that the guard admits
// races         bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 11 boundary values of dims and args shown; 7 not run; not every kernel was launched
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`half` disjoint, `y` disjoint, `y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 11 boundary values of dims and args shown; 7 not run; shown wrong at N=1
// convergence   not applicable there are no collectives
// resources     proved         3 of 3 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
