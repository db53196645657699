// y = x through rings that say how many arrive.
program ring_counts target sm_90
dim M in 1..=4, T in 1..=20
param STAGES in {2, 3, 4, 5, 6, 8} = 2
param GIVE in {1, 2, 4, 8} = 1  // warps
param TAKE in {1, 2, 4, 8} = 2
in x: f32[M*32, T*32]
out y: f32[M*32, T*32]
kernel run {
  grid (M)
  ring raw[STAGES] { v: f32[32, 32] } from load to turn full 1 empty GIVE
  ring turned[STAGES] { v: f32[32, 32] } from turn to store full GIVE empty TAKE
  role load: warps 1 {
    for t in 0..T {
      acquire raw@t
      tma.load raw.v@t <- x[cta*32:+32, t*32:+32]
      commit raw@t
    }
  }
  role turn: warps GIVE {
    for t in 0..T {
      wait raw@t
      acquire turned@t
      for r in warp..32 step GIVE { st turned.v@t[r, lane] <- ld raw.v@t[r, 31 - lane] }
      release raw@t
      commit turned@t
    }
  }
  role store: warps TAKE {
    for t in 0..T {
      wait turned@t
      for r in warp..32 step TAKE { st y[cta*32 + r, t*32 + lane] <- ld turned.v@t[r, 31 - lane] }
      release turned@t
    }
  }
}
