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
kernel between pdl {
  grid (1)
  role main: warps 1 { pdl.launch }
}
kernel second pdl {
  grid (ceildiv(N, 32))
  role main: warps 1 {
    let i = cta*32 + lane
    pdl.wait
    if i < N {
      st y[i] <- ld half[i]
      st z[i] <- 1.0
    }
  }
}
//--- expected
// warning[CK1228]: kernel `between` is marked `pdl` and never executes `pdl.wait`
//   --> fail_pdl_chain.cake:14:8
//   14 | kernel between pdl {
//      |        ^^^^^^^
//   why: nothing orders it after the kernel before it; what it reads and writes must concern no other
//
// error[CK2169]: kernel `second` may start before the kernels before `between` have ended: CTA 0 of `between` never waits
//   --> fail_pdl_chain.cake:18:8
//   18 | kernel second pdl {
//      |        ^^^^^^
//   14 | kernel between pdl {
//      |        ------- this kernel may start early too
//   why: `pdl.wait` waits for one kernel; that this one waited in its turn is what makes the chain
//   fix (manual): let every CTA of the kernel before execute `pdl.wait`
// bounds        proved         5 of 5 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         4 of 4 index operations proved, for every shape that the guard admits
// races         bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// global races  refuted        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run; shown wrong at the only shape (`half` disjoint, `z` disjoint, `y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// convergence   not applicable there are no collectives
// resources     proved         3 of 3 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
