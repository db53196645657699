// mode: gates
program scan target sm_80
dim N in 1..=4096
in x: i32[N, 32]
out y: i32[N, 32]
workspace ticket: i32[1] zero
workspace state: u32[N] zero
workspace sum: i32[N]; workspace prefix: i32[N]
kernel run {
  grid (N)
  role main: warps 1 {
    var mine: i32 = 0
    once { mine = atomic.add.relaxed.gpu(ticket[0], 1) }
    let tile = lanes.first(mine, 32)
    if tile < N && tile >= 0 {
      let v = (ld x[tile, lane]) & 1
      let scan = lanes.scan_sum(v, 32)
      let total = lanes.sum(v, 32)
      var before: i32 = 0
      once {
        if tile > 0 {
          st sum[tile] <- total
          st.release.gpu state[tile] <- 1
          var at = tile - 1
          while at >= 0 {
            var seen: u32 = 0
            while seen == 0 { seen = ld.acquire.gpu state[at] }
            if seen == 2 {
              before += (ld prefix[at]) & 0xffffff
              at = -1
            } else {
              before += (ld sum[at]) & 0xffff
              at -= 1
            }
          }
        }
        st prefix[tile] <- (before & 0xffffff) + total
        st.release.gpu state[tile] <- 2
      }
      st y[tile, lane] <- (lanes.first(before, 32) & 0xffffff) + scan
    }
  }
}
//--- expected
// advice[CK2532]: no run of the machine finds this condition false
//   --> look_back_scan.cake:15:8
//   15 |     if tile < N && tile >= 0 {
//      |        ^^^^^^^^^^^^^^^^^^^^^
//   why: races, deadlocks and unwritten values are looked for by running the program at small shapes; what it does where the condition has the other value, a step left out or taken, has not been seen
// bounds        proved         10 of 10 accesses and indices proved, for every shape that the guard admits
// alignment     not applicable there are no vector accesses
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 15); threads learn from each other: two orders of many ran
// global races  bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 15); threads learn from each other: two orders of many ran (`y` not proven, `ticket` disjoint, `state` disjoint, `sum` not proven, `prefix` not proven)
// deadlock      bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 15); threads learn from each other: two orders of many ran
// interleavings bounded        orders that ran: 2 a shape; P0: tickets, flags, tests or requests decide: other orders are other runs; P1: a loop polls memory: what it waits for may come and go
// definedness   bounded        4 shapes run on the machine, all CTAs, two schedules; 4 of 4 boundary values of dims and args shown; 1 place never executed (line 15); threads learn from each other: two orders of many ran
// convergence   proved         every collective stands under conditions and trip counts that are uniform over its scope
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks); A1: the causality order of the PTX memory model, as it is read here; A6: ptxas keeps the order of synchronisation and asynchronous operations; A7: CTAs that are resident go on, operations that are issued complete
