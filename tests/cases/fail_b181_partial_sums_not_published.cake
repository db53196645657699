// One thread releases the semaphore for all; the others' sums are not before it.
program p target sm_80
in x: f32[2, 128]
out y: f32[128]
workspace part: f32[128]
workspace flag: i32[1] zero
workspace ticket: i32[1] zero
kernel k {
  grid (2)
  smem number: i32[1]
  role main: warps 4 {
    once { st number[0] <- atomic.add.relaxed.gpu(ticket[0], 1) }
    sync role
    let me = ld number[0]
    if me == 0 {
      st part[thread] <- ld x[0, thread]
      once { st.release.gpu flag[0] <- 1 }
    } else {
      once { while ld.acquire.gpu flag[0] == 0 {} }
      sync role
      st y[thread] <- (ld part[thread]) + ld x[1, thread]
    }
  }
}
