// Turns begin with CTA 0, which the window leaves out: nobody passes the first one on.
program p target sm_80
dim W in 0..=3
in x: f32[4]
inout y: f32[1]
workspace turn: i32[1] zero
workspace ticket: i32[1] zero
kernel k {
  grid (4)
  role main: warps 1 {
    once {
      let me = atomic.add.relaxed.gpu(ticket[0], 1)
      if me >= W {
        while ld.acquire.gpu turn[0] != me {}
        let old = ld.relaxed.gpu y[0]
        st.relaxed.gpu y[0] <- old + 1.0
        st.release.gpu turn[0] <- me + 1
      }
    }
  }
}
