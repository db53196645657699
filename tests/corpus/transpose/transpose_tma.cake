// y = x transposed. The copy engine brings a tile of 32 x 32 and takes the turned one away; between, each
// warp turns rows. The swizzle of the turned tile puts a column's elements into different banks.
program transpose_tma target sm_90
dim M in 0..=32768, N in 0..=32768
param WARPS in {4, 8} = 8
const S = 32
in x: f32[M, N]
out y: f32[N, M]
where M % 4 == 0, N % 4 == 0
kernel tiles {
  grid (ceildiv(N, S), ceildiv(M, S))
  smem left: f32[S, S]
  smem right: f32[S, S] swizzle 128
  event full[1] count 1
  role main: warps WARPS {
    if warp == 0 {
      tma.load left <- x[cta.y*S:+S, cta.x*S:+S] on full@0
      expect full@0
    }
    wait full@0
    for k in 0..S/WARPS {
      let r = k*WARPS + warp
      st right[lane, r] <- ld left[r, lane]
    }
    fence async
    sync cta
    once { tma.store y[cta.x*S:+S, cta.y*S:+S] <- right; tma.commit; tma.wait.read 0 }
  }
}
