// mode: map
program row_sums target sm_80
dim M in 1..=65536, N in 1..=4096
in x: f32[M, N]
out y: f32[M]
workspace arrived: u32[1] zero
kernel sums {
  grid (M)
  smem part[2]: f32[8]
  smem last: u32[1]
  barrier pair[2] threads 128
  role main: warps 8 {
    var s: f32 = 0.0
    for i in thread..N step 256 { s += ld x[cta, i] }
    s = lanes.sum(s, 32)
    elect { st part@0[warp] <- s }
    bar.sync pair[wg]
    sync cta
    once {
      red.add.relaxed.gpu(arrived[0], 1)
      st last[0] <- 0
      var t: f32 = 0.0
      for w in 0..8 { t += ld part@0[w] }
      st y[cta] <- t
    }
  }
}
//--- expected
// program row_sums, target sm_80, on sm_80
// kernel sums
//   launch            grid (M), 256 threads (8 warps), 80 bytes of dynamic shared memory
//                     cleared before the run: arrived
//   registers         role              warps      threads  a thread
//                     main               0..7       0..255  up to 248
//   shared memory     80 of 166912 bytes, 12 of them padding
//                     bytes of stage 0  stages          buffer
//                                0..31  2 x 32          part           f32[8] rows
//                               64..67  1               last           u32[1] rows
//   named barriers    3 of 16
//                     ids 1..2          pair, 128 threads
// {
//   "program": "row_sums",
//   "target": "sm_80",
//   "arch": "sm_80",
//   "kernels": [
//     {
//       "name": "sums",
//       "function": "row_sums_sums",
//       "launch": {
//         "grid": "(M)",
//         "threads": 256,
//         "dynamic_shared_bytes": 80,
//         "cluster": 1,
//         "meets_in_cluster": false,
//         "cooperative": false,
//         "ctas_per_sm": 1,
//         "pdl": false,
//         "when": "",
//         "cleared": [
//           "arrived"
//         ]
//       },
//       "registers": [
//         {
//           "role": "main",
//           "first_warp": 0,
//           "warps": 8,
//           "registers": 0,
//           "at_launch": 248,
//           "setmaxnreg": ""
//         }
//       ],
//       "shared": {
//         "bytes": 80,
//         "limit_bytes": 166912,
//         "padding_bytes": 12,
//         "buffers": [
//           {
//             "name": "part",
//             "type": "f32[8]",
//             "form": "rows",
//             "first_byte": 0,
//             "bytes": 32,
//             "stages": 2,
//             "stage_distance_bytes": 32,
//             "in_turn_with": []
//           },
//           {
//             "name": "last",
//             "type": "u32[1]",
//             "form": "rows",
//             "first_byte": 64,
//             "bytes": 4,
//             "stages": 1,
//             "stage_distance_bytes": 4,
//             "in_turn_with": []
//           }
//         ]
//       },
//       "mbarriers": [],
//       "named_barriers": {
//         "used": 3,
//         "limit": 16,
//         "declared": [
//           {
//             "name": "pair",
//             "first_id": 1,
//             "count": 2,
//             "threads": 128
//           }
//         ]
//       },
//       "tmem": {
//         "columns": 0,
//         "limit_columns": 0,
//         "buffers": []
//       },
//       "tensor_maps": []
//     }
//   ]
// }
