// y = x weighed by the largest element and the sum of its row: two handings-over of a CTA, two of a role.
program block_sums target sm_80
dim M in 1..=8, N in 1..=4
param WARPS in {2, 4, 8, 16} = 4
param OTHERS in {2, 4, 8} = 2  // warps of the other role
param PER in {1, 2, 3, 4, 5, 6} = 1
in x: f32[M, N*PER, 32*WARPS], z: f32[M, 32*OTHERS]
out y: f32[M, N*PER, 32*WARPS], w: f32[M, 32*OTHERS]
kernel sums {
  grid (M)
  smem tops: f32[WARPS]
  smem sums: f32[WARPS]
  role main: warps WARPS {
    var top: f32 = 0.0
    for n in 0..N*PER { top = max(top, ld x[cta, n, thread]) }
    top = lanes.max(top, 32)
    elect { st tops[warp] <- top }
    sync cta
    for p in 0..WARPS { top = max(top, ld tops[p]) }
    var sum: f32 = 0.0
    for n in 0..N*PER { sum += (ld x[cta, n, thread]) - top }
    sum = lanes.sum(sum, 32)
    elect { st sums[warp] <- sum }
    sync cta
    for p in 0..WARPS { sum += ld sums[p] }
    for n in 0..N*PER { st y[cta, n, thread] <- sum }
  }
}
kernel others {
  grid (M)
  smem tops: f32[OTHERS]
  smem sums: f32[OTHERS]
  role idle: warps 1 {}
  role main: warps OTHERS {
    let v = ld z[cta, thread]
    var top = lanes.max(v, 32)
    elect { st tops[warp] <- top }
    sync role
    for p in 0..OTHERS { top = max(top, ld tops[p]) }
    var sum = lanes.sum(v - top, 32)
    elect { st sums[warp] <- sum }
    sync role
    for p in 0..OTHERS { sum += ld sums[p] }
    st w[cta, thread] <- sum
  }
}
