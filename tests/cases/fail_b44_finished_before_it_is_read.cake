// A consumer says that it is done with the slot, and then reads it.
program p target sm_90
dim T in 1..=64
in x: i32[T]
out y: i32[T]
kernel k {
  grid (1)
  ring slot[2] { tile: i32[1] } from plan to work
  role plan: warps 1 {
    for t in 0..T {
      acquire slot@t
      if lane == 0 { st slot.tile@t[0] <- ld x[t] }
      commit slot@t
    }
  }
  role work: warps 1 {
    for t in 0..T {
      wait slot@t
      release slot@t
      let tile = ld slot.tile@t[0]
      if lane == 0 { st y[t] <- tile }
    }
  }
}
