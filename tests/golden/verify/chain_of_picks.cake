// mode: gates
// Values picked from picked values: what decides over each is known of all behind it, and would double with each.
program p target sm_80
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 32))
  role main: warps 1 {
    let i = cta*32 + lane
    let a0 = lane
    let a1 = select(a0 < 3, a0 + 1, a0 - 1)
    let a2 = select(a1 < 3, a1 + 1, a1 - 1)
    let a3 = select(a2 < 3, a2 + 1, a2 - 1)
    let a4 = select(a3 < 3, a3 + 1, a3 - 1)
    let a5 = select(a4 < 3, a4 + 1, a4 - 1)
    let a6 = select(a5 < 3, a5 + 1, a5 - 1)
    let a7 = select(a6 < 3, a6 + 1, a6 - 1)
    let a8 = select(a7 < 3, a7 + 1, a7 - 1)
    let a9 = select(a8 < 3, a8 + 1, a8 - 1)
    let a10 = select(a9 < 3, a9 + 1, a9 - 1)
    let a11 = select(a10 < 3, a10 + 1, a10 - 1)
    let a12 = select(a11 < 3, a11 + 1, a11 - 1)
    let a13 = select(a12 < 3, a12 + 1, a12 - 1)
    let a14 = select(a13 < 3, a13 + 1, a13 - 1)
    let a15 = select(a14 < 3, a14 + 1, a14 - 1)
    let a16 = select(a15 < 3, a15 + 1, a15 - 1)
    let a17 = select(a16 < 3, a16 + 1, a16 - 1)
    let a18 = select(a17 < 3, a17 + 1, a17 - 1)
    let a19 = select(a18 < 3, a18 + 1, a18 - 1)
    let a20 = select(a19 < 3, a19 + 1, a19 - 1)
    let a21 = select(a20 < 3, a20 + 1, a20 - 1)
    let a22 = select(a21 < 3, a21 + 1, a21 - 1)
    let a23 = select(a22 < 3, a22 + 1, a22 - 1)
    let a24 = select(a23 < 3, a23 + 1, a23 - 1)
    let a25 = select(a24 < 3, a24 + 1, a24 - 1)
    let a26 = select(a25 < 3, a25 + 1, a25 - 1)
    let a27 = select(a26 < 3, a26 + 1, a26 - 1)
    let a28 = select(a27 < 3, a27 + 1, a27 - 1)
    let a29 = select(a28 < 3, a28 + 1, a28 - 1)
    let a30 = select(a29 < 3, a29 + 1, a29 - 1)
    let a31 = select(a30 < 3, a30 + 1, a30 - 1)
    let a32 = select(a31 < 3, a31 + 1, a31 - 1)
    let a33 = select(a32 < 3, a32 + 1, a32 - 1)
    let a34 = select(a33 < 3, a33 + 1, a33 - 1)
    let a35 = select(a34 < 3, a34 + 1, a34 - 1)
    let a36 = select(a35 < 3, a35 + 1, a35 - 1)
    let a37 = select(a36 < 3, a36 + 1, a36 - 1)
    let a38 = select(a37 < 3, a37 + 1, a37 - 1)
    let a39 = select(a38 < 3, a38 + 1, a38 - 1)
    let a40 = select(a39 < 3, a39 + 1, a39 - 1)
    let a41 = select(a40 < 3, a40 + 1, a40 - 1)
    let a42 = select(a41 < 3, a41 + 1, a41 - 1)
    let a43 = select(a42 < 3, a42 + 1, a42 - 1)
    let a44 = select(a43 < 3, a43 + 1, a43 - 1)
    let a45 = select(a44 < 3, a44 + 1, a44 - 1)
    let a46 = select(a45 < 3, a45 + 1, a45 - 1)
    let a47 = select(a46 < 3, a46 + 1, a46 - 1)
    let a48 = select(a47 < 3, a47 + 1, a47 - 1)
    if i < N { st y[i] <- ld x[min(max(a48, 0), N - 1)] }
  }
}
//--- expected
// bounds        proved         2 of 2 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         99 of 99 index operations proved, for every shape that the guard admits
// races         explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P5 checked in each run; P6 assumed)
// definedness   explored       8 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
