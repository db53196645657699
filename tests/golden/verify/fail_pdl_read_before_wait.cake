// mode: gates
program pair target sm_90
dim N in 1..=4096
in x: f32[N]; inout z: f32[N]
out y: f32[N]
workspace half: f32[N]
kernel first {
  grid (ceildiv(N, 32))
  role main: warps 1 {
    let i = cta*32 + lane
    if i < N { st half[i] <- 0.5 * (ld z[i]) }
  }
}
kernel second pdl {
  grid (ceildiv(N, 32))
  role main: warps 1 {
    let i = cta*32 + lane
    let h = ld half[i] else 0.0
    pdl.wait
    if i < N {
      st y[i] <- h
      st z[i] <- 1.0
    }
  }
}
//--- expected
// error[CK2168]: `ld` of `half` may come before the end of kernel `first`, which touches it too
//   --> fail_pdl_read_before_wait.cake:18:16
//   18 |     let h = ld half[i] else 0.0
//      |                ^^^^^^^
//   11 |     if i < N { st half[i] <- 0.5 * (ld z[i]) }
//      |                ----------------------------- `st` here by role main, warp 0
//   at: role main, cta 0, warp 0, lane 0, bytes 0..4, N=1
//   why: a kernel marked `pdl` may start while the one before it runs; only `pdl.wait` orders them
//   fix (manual): put `pdl.wait` before this access, or mark the tensor `static` if no kernel writes it
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// global races  refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run; shown wrong at N=1 (`half` disjoint, `z` disjoint, `y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// convergence   not applicable there are no collectives
// resources     proved         2 of 2 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
