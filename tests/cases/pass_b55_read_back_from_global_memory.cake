// An entry of the table that other threads have just written is read back at once.
program p target sm_80
in v: i32[256]
out y: i32[8]
workspace table: i32[8, 256]
kernel k {
  grid (8)
  role main: warps 8 {
    st table[cta, thread] <- ld v[thread]
    sync role
    let x = ld table[cta, cta]
    once { st y[cta] <- x }
  }
}
