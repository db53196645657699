// y = x of the CTA before in the cluster, there and back, by arrivals at its events.
program cluster_handed target sm_90
dim M in 1..=4
param CL in {2, 4, 8} = 2
param WARPS in {1, 2, 4, 8} = 1
param PER in {1, 2, 3, 4, 5, 6} = 1
in x: f32[M*CL, 32*WARPS*PER]
out y: f32[M*CL, 32*WARPS*PER], z: f32[M*CL, 32*WARPS*PER]
kernel run {
  cluster CL
  grid (M*CL)
  const T = 32*WARPS
  smem row: f32[T*PER]
  smem back: f32[T*PER]
  event full[1] count WARPS
  event returned[1] count WARPS
  role main: warps WARPS {
    let next = (cluster.rank + 1) % CL
    let last = (cluster.rank + CL - 1) % CL
    for k in 0..PER { st row[k*T + thread] at next <- ld x[cta, k*T + thread] }
    arrive full@0 at next
    wait.cluster full@0
    for k in 0..PER {
      let v = ld row[k*T + thread]
      st y[cta, k*T + thread] <- v
      st back[k*T + thread] at last <- v + 1.0
    }
    arrive returned@0 at last
    wait.cluster returned@0
    for k in 0..PER { st z[cta, k*T + thread] <- ld back[k*T + thread] }
  }
}
