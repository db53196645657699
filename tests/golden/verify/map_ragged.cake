// mode: gates
program p target sm_90a
dim B in 1..=64, T in 1..=4096
in from: i32[B+1]
in x: f32[T, 32]
out y: f32[T, 32]
where from in 0..=T, steps(from) in 0..=T, from[0] == 0, from[B] == T
kernel k {
  grid (B)
  smem tile: f32[64, 32] swizzle 128
  event full[1] count 1
  tensormap y
  role main: warps 1 {
    let first = ld from[cta]
    let end = ld from[cta + 1]
    var k = 0
    for m in 0..ceildiv(end - first, 64) {
      tensormap.set y[end, :]
      tma.load tile <- x[first + m*64:+64, :] on full@k
      expect full@k
      wait full@k
      once { tma.store y[first + m*64:+64, :] <- tile; tma.commit; tma.wait 0 }
      sync role
      if k < 4096 { k += 1 }
    }
  }
}
//--- expected
// bounds        proved         7 of 7 accesses and indices proved, for every shape that the guard admits
// alignment     proved         4 of 4 vector accesses proved, for every shape that the guard admits
// overflow      proved         9 of 9 index operations proved, for every shape that the guard admits
// races         bounded        9 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; the loop in line 17 not closed: trips that data or variables decide, so known of at most 4 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        9 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; the loop in line 17 not closed: trips that data or variables decide, so known of at most 4 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5 checked in each run; P6 assumed)
// definedness   bounded        9 shapes run on the machine, all CTAs, one schedule; 8 of 8 boundary values of dims and args shown; the loop in line 17 not closed: trips that data or variables decide, so known of at most 4 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        contents: from in 0..=T; contents: steps(from) in 0..=T; contents: from[0] == 0; contents: from[B] == T; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); `k.maps` begins at a multiple of 128 bytes (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
