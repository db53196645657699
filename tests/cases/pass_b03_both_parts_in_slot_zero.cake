// Two parts of a tile are staged in slot 0 although the second one is slot 1's.
program p target sm_90
in x: f32[2, 32]
out y: f32[2, 32]
kernel k {
  grid (1)
  ring staged[2] { v: f32[32] } from part to store
  role part: warps 1 {
    acquire staged@0
    st staged.v@0[lane] <- ld x[0, lane]
    commit staged@0
    acquire staged@1
    st staged.v@1[lane] <- ld x[1, lane]
    commit staged@1
  }
  role store: warps 1 {
    for k in 0..2 {
      wait staged@k
      st y[k, lane] <- ld staged.v@k[lane]
      release staged@k
    }
  }
}
