// mode: gates
program mcopy target sm_90
// Every CTA of a cluster reads the same tile of w and adds it to its own rows of x.
dim M in 1..=4096, N in 64..=4096
param C in {1, 2, 4} = 2; param STAGES in {2, 3} = 2
in x: f32[M, N], w: f32[64, N]
out y: f32[M, N]
where N % 64 == 0
kernel run {
  cluster C
  const R = 64/C
  let NT = N/64; let MT = ceildiv(M, 64)
  grid (SMS)
  ring ab[STAGES] { a: f32[64, 64]; w: f32[64, 64] } from load to math cluster
  iter work() -> (i32) { for t in cluster.id .. ceildiv(MT, C) step clusters { yield t*C + cluster.rank } }
  role load: warps 1 {
    var it = 0
    let h = cluster.rank*R
    for m in work() {
      for n in 0..NT {
        acquire ab@it
        tma.load ab.a@it <- x[m*64:+64, n*64:+64]
        tma.load ab.w@it[h:+R, :] <- w[h:+R, n*64:+64] multicast (1 << C) - 1
        commit ab@it
        it += 1
      }
    }
  }
  role math: warps 4 {
    var it = 0
    for m in work() {
      for n in 0..NT {
        wait ab@it
        for r in warp..64 step 4 {
          for c in 0..2 {
            let v = (ld ab.a@it[r, c*32 + lane]) + (ld ab.w@it[r, c*32 + lane])
            if m*64 + r < M { st y[m*64 + r, n*64 + c*32 + lane] <- v }
          }
        }
        release ab@it
        it += 1
      }
    }
  }
}
//--- expected
// bounds        proved         11 of 11 accesses and indices proved, for every shape that the guard admits
// alignment     proved         4 of 4 vector accesses proved, for every shape that the guard admits
// overflow      proved         26 of 26 index operations proved, for every shape that the guard admits
// races         bounded        21 shapes run on the machine, all CTAs, one schedule; 17 of 17 boundary values of dims and args shown; the loop in line 15 not closed: a loop inside whose trips are no constant, so known of at most 6 trips
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      bounded        21 shapes run on the machine, all CTAs, one schedule; 17 of 17 boundary values of dims and args shown; the loop in line 15 not closed: a loop inside whose trips are no constant, so known of at most 6 trips
// interleavings proved         one run of a shape stands for all its schedules: P0 to P5 and P7 hold (P2, P3, P4, P5, P7 checked in each run; P6 assumed)
// definedness   bounded        21 shapes run on the machine, all CTAs, one schedule; 17 of 17 boundary values of dims and args shown; the loop in line 15 not closed: a loop inside whose trips are no constant, so known of at most 6 trips
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        SMS is in 2..=1024; tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; proxies: A2: there is one async proxy in a cluster, and completion implies the proxy fence; proxies: A3: a `fence async` anywhere between a generic write and an asynchronous copy of one CTA suffices; proxies: generic reads come before an asynchronous refill by the hand-over alone: it is lowered with a fence; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
