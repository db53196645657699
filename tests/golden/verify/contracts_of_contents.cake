// mode: gates
program p target sm_80
dim B in 1..=64, P in 1..=1000, W in 1..=32
in c: f32[P, 16, 32], t: i32[B, W], n: i32[B]
out y: f32[B, 32]
where n in 0..=W*16, t[b, j] in 0..P if j*16 < n[b]
kernel k {
  grid (B)
  role main: warps 1 {
    var s: f32 = 0.0
    let len = ld n[cta]
    for j in 0..ceildiv(len, 16) {
      let page = ld t[cta, j]
      for r in 0..min(16, len - j*16) { s += ld c[page, r, lane] }
    }
    st y[cta, lane] <- s
  }
}
//--- expected
// bounds        proved         4 of 4 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         6 of 6 index operations proved, for every shape that the guard admits
// races         explored       14 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       14 shapes run on the machine, all CTAs, one schedule; 12 of 12 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: n in 0..=W*16; contents: t[b, j] in 0..P if j*16 < n[b]; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
