// mode: map
program mcopy target sm_90
// Every CTA of a cluster reads the same tile of w and adds it to its own rows of x.
dim M in 1..=4096, N in 64..=4096
param C in {1, 2, 4} = 2; param STAGES in {2, 3} = 2
in x: f32[M, N], w: f32[64, N]
out y: f32[M, N]
where N % 64 == 0
kernel run {
  cluster C
  const R = 64/C
  let NT = N/64; let MT = ceildiv(M, 64)
  grid (SMS)
  ring ab[STAGES] { a: f32[64, 64]; w: f32[64, 64] } from load to math cluster
  iter work() -> (i32) { for t in cluster.id .. ceildiv(MT, C) step clusters { yield t*C + cluster.rank } }
  role load: warps 1 {
    var it = 0
    let h = cluster.rank*R
    for m in work() {
      for n in 0..NT {
        acquire ab@it
        tma.load ab.a@it <- x[m*64:+64, n*64:+64]
        tma.load ab.w@it[h:+R, :] <- w[h:+R, n*64:+64] multicast (1 << C) - 1
        commit ab@it
        it += 1
      }
    }
  }
  role math: warps 4 {
    var it = 0
    for m in work() {
      for n in 0..NT {
        wait ab@it
        for r in warp..64 step 4 {
          for c in 0..2 {
            let v = (ld ab.a@it[r, c*32 + lane]) + (ld ab.w@it[r, c*32 + lane])
            if m*64 + r < M { st y[m*64 + r, n*64 + c*32 + lane] <- v }
          }
        }
        release ab@it
        it += 1
      }
    }
  }
}
//--- expected
// program mcopy, target sm_90, on sm_90a
// kernel run
//   launch            grid (SMS), 160 threads (5 warps), 65568 bytes of dynamic shared memory
//                     cluster of 2 CTAs in x; its threads meet before the roles and after them
//   registers         role              warps      threads  a thread
//                     load               0..0        0..31  up to 248
//                     math               1..4      32..159  up to 248
//   shared memory     65568 of 232448 bytes, 0 of them padding
//                     bytes of stage 0  stages          buffer
//                             0..16383  2 x 16384       ab.a           f32[64, 64] rows
//                         32768..49151  2 x 16384       ab.w           f32[64, 64] rows
//   mbarriers         4, bytes 65536..65567; use k is on mbarrier k % stages, in a phase whose parity is phase % 2
//                     bytes             stages  arrivals  name
//                         65536..65551       2         1  ab full, use k: phase k/2
//                                                        arrive  load, line 22: tma.load, 16384 bytes
//                                                                load, line 23: tma.load, 8192 bytes
//                                                                load, line 24: commit
//                                                        wait    math, line 33: wait
//                         65552..65567       2         8  ab empty, acquire k: phase k/2 - 1, from every CTA of the cluster
//                                                        arrive  math, line 40: release
//                                                        wait    load, line 21: acquire
//   named barriers    1 of 16
//   tensor maps       name            of              box
//                     x_map           x               (64, 64) f32, rows
//                     w_map           w               (32, 64) f32, rows
// {
//   "program": "mcopy",
//   "target": "sm_90",
//   "arch": "sm_90a",
//   "kernels": [
//     {
//       "name": "run",
//       "function": "mcopy_run",
//       "launch": {
//         "grid": "(SMS)",
//         "threads": 160,
//         "dynamic_shared_bytes": 65568,
//         "cluster": 2,
//         "meets_in_cluster": true,
//         "cooperative": false,
//         "ctas_per_sm": 1,
//         "pdl": false,
//         "when": "",
//         "cleared": []
//       },
//       "registers": [
//         {
//           "role": "load",
//           "first_warp": 0,
//           "warps": 1,
//           "registers": 0,
//           "at_launch": 248,
//           "setmaxnreg": ""
//         },
//         {
//           "role": "math",
//           "first_warp": 1,
//           "warps": 4,
//           "registers": 0,
//           "at_launch": 248,
//           "setmaxnreg": ""
//         }
//       ],
//       "shared": {
//         "bytes": 65568,
//         "limit_bytes": 232448,
//         "padding_bytes": 0,
//         "buffers": [
//           {
//             "name": "ab.a",
//             "type": "f32[64, 64]",
//             "form": "rows",
//             "first_byte": 0,
//             "bytes": 16384,
//             "stages": 2,
//             "stage_distance_bytes": 16384,
//             "in_turn_with": []
//           },
//           {
//             "name": "ab.w",
//             "type": "f32[64, 64]",
//             "form": "rows",
//             "first_byte": 32768,
//             "bytes": 16384,
//             "stages": 2,
//             "stage_distance_bytes": 16384,
//             "in_turn_with": []
//           }
//         ]
//       },
//       "mbarriers": [
//         {
//           "name": "ab",
//           "kind": "full",
//           "first_byte": 65536,
//           "stages": 2,
//           "arrivals": 1,
//           "from_every_cta": false,
//           "phase": "use k: phase k/2",
//           "arrive": [
//             {
//               "role": "load",
//               "line": 22,
//               "verb": "tma.load",
//               "bytes": 16384
//             },
//             {
//               "role": "load",
//               "line": 23,
//               "verb": "tma.load",
//               "bytes": 8192
//             },
//             {
//               "role": "load",
//               "line": 24,
//               "verb": "commit"
//             }
//           ],
//           "wait": [
//             {
//               "role": "math",
//               "line": 33,
//               "verb": "wait"
//             }
//           ]
//         },
//         {
//           "name": "ab",
//           "kind": "empty",
//           "first_byte": 65552,
//           "stages": 2,
//           "arrivals": 8,
//           "from_every_cta": true,
//           "phase": "acquire k: phase k/2 - 1",
//           "arrive": [
//             {
//               "role": "math",
//               "line": 40,
//               "verb": "release"
//             }
//           ],
//           "wait": [
//             {
//               "role": "load",
//               "line": 21,
//               "verb": "acquire"
//             }
//           ]
//         }
//       ],
//       "named_barriers": {
//         "used": 1,
//         "limit": 16,
//         "declared": []
//       },
//       "tmem": {
//         "columns": 0,
//         "limit_columns": 0,
//         "buffers": []
//       },
//       "tensor_maps": [
//         {
//           "name": "x_map",
//           "tensor": "x",
//           "dtype": "f32",
//           "box": [
//             64,
//             64
//           ],
//           "patched_by": [],
//           "swizzle_bytes": 0
//         },
//         {
//           "name": "w_map",
//           "tensor": "w",
//           "dtype": "f32",
//           "box": [
//             32,
//             64
//           ],
//           "patched_by": [],
//           "swizzle_bytes": 0
//         }
//       ]
//     }
//   ]
// }
