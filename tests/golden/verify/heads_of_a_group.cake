// mode: gates
program p target sm_80
dim HQ in 1..=128, HK in 1..=16
out y: f32[HQ, 32]
where HQ % HK == 0
kernel k {
  grid (ceildiv(HK, 4))
  role main: warps 4 {
    let hk = cta*4 + warp
    let group = HQ / HK
    for g in 0..group {
      if hk < HK { st y[hk*group + g, lane] <- 1.0 }
    }
  }
}
//--- expected
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         5 of 5 index operations proved, for every shape that the guard admits
// races         explored       5 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; the loop in line 11 not closed: CTAs that only launches of more trips have
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       5 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
