// mode: map
program copies target sm_90a
dim M in 1..=65536, N in 64..=65536
where N % 64 == 0
in x: bf16[M, N]
out y: bf16[M, N]
kernel copy {
  grid (SMS)
  ring tile[3] {
    either { v: bf16[64, 64] swizzle 128 } or { w: f32[64, 32] }
    s: f32[64]
  } from load to store
  event done[2] count 4
  role load: warps 1 regs 40 {
    var k = 0
    for t in cta..ceildiv(M, 64) step ctas {
      acquire tile@k
      tma.load tile.v@k <- x[t*64:+64, 0:+64]
      commit tile@k
      if k < 65536 { k += 1 }
    }
  }
  role store: warps 4 regs 232 {
    var k = 0
    for t in cta..ceildiv(M, 64) step ctas {
      wait tile@k
      release tile@k
      arrive done@k
      if k < 65536 { k += 1 }
    }
  }
}
//--- expected
// program copies, target sm_90a, on sm_90a
// kernel copy
//   launch            grid (SMS), 256 threads (8 warps), 26944 bytes of dynamic shared memory
//   registers         role              warps      threads  a thread
//                     load               0..0        0..31  40, setmaxnreg.dec from 248
//                     -                  1..3      32..127  idle
//                     store              4..7     128..255  232, setmaxnreg.dec from 248
//   shared memory     26944 of 232448 bytes, 1536 of them padding
//                     bytes of stage 0  stages          buffer
//                              0..8191  3 x 9216        tile.v         bf16[64, 64] swizzle 128
//                                                        in turn with tile.w
//                              0..8191  3 x 9216        tile.w         f32[64, 32] rows
//                                                        in turn with tile.v
//                           8192..8447  3 x 9216        tile.s         f32[64] rows
//   mbarriers         8, bytes 26880..26943; use k is on mbarrier k % stages, in a phase whose parity is phase % 2
//                     bytes             stages  arrivals  name
//                         26880..26903       3         1  tile full, use k: phase k/3
//                                                        arrive  load, line 18: tma.load, 8192 bytes
//                                                                load, line 19: commit
//                                                        wait    store, line 26: wait
//                         26904..26927       3         4  tile empty, acquire k: phase k/3 - 1
//                                                        arrive  store, line 27: release
//                                                        wait    load, line 17: acquire
//                         26928..26943       2         4  done, use k: phase k/2
//                                                        arrive  store, line 28: arrive
//   named barriers    1 of 16
//   tensor maps       name            of              box
//                     x_map           x               (64, 64) bf16, swizzle 128
// {
//   "program": "copies",
//   "target": "sm_90a",
//   "arch": "sm_90a",
//   "kernels": [
//     {
//       "name": "copy",
//       "function": "copies_copy",
//       "launch": {
//         "grid": "(SMS)",
//         "threads": 256,
//         "dynamic_shared_bytes": 26944,
//         "cluster": 1,
//         "meets_in_cluster": false,
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
//           "registers": 40,
//           "at_launch": 248,
//           "setmaxnreg": "dec"
//         },
//         {
//           "role": "",
//           "first_warp": 1,
//           "warps": 3,
//           "registers": 0,
//           "at_launch": 248,
//           "setmaxnreg": ""
//         },
//         {
//           "role": "store",
//           "first_warp": 4,
//           "warps": 4,
//           "registers": 232,
//           "at_launch": 248,
//           "setmaxnreg": "dec"
//         }
//       ],
//       "shared": {
//         "bytes": 26944,
//         "limit_bytes": 232448,
//         "padding_bytes": 1536,
//         "buffers": [
//           {
//             "name": "tile.v",
//             "type": "bf16[64, 64]",
//             "form": "swizzle 128",
//             "first_byte": 0,
//             "bytes": 8192,
//             "stages": 3,
//             "stage_distance_bytes": 9216,
//             "in_turn_with": [
//               "tile.w"
//             ]
//           },
//           {
//             "name": "tile.w",
//             "type": "f32[64, 32]",
//             "form": "rows",
//             "first_byte": 0,
//             "bytes": 8192,
//             "stages": 3,
//             "stage_distance_bytes": 9216,
//             "in_turn_with": [
//               "tile.v"
//             ]
//           },
//           {
//             "name": "tile.s",
//             "type": "f32[64]",
//             "form": "rows",
//             "first_byte": 8192,
//             "bytes": 256,
//             "stages": 3,
//             "stage_distance_bytes": 9216,
//             "in_turn_with": []
//           }
//         ]
//       },
//       "mbarriers": [
//         {
//           "name": "tile",
//           "kind": "full",
//           "first_byte": 26880,
//           "stages": 3,
//           "arrivals": 1,
//           "from_every_cta": false,
//           "phase": "use k: phase k/3",
//           "arrive": [
//             {
//               "role": "load",
//               "line": 18,
//               "verb": "tma.load",
//               "bytes": 8192
//             },
//             {
//               "role": "load",
//               "line": 19,
//               "verb": "commit"
//             }
//           ],
//           "wait": [
//             {
//               "role": "store",
//               "line": 26,
//               "verb": "wait"
//             }
//           ]
//         },
//         {
//           "name": "tile",
//           "kind": "empty",
//           "first_byte": 26904,
//           "stages": 3,
//           "arrivals": 4,
//           "from_every_cta": false,
//           "phase": "acquire k: phase k/3 - 1",
//           "arrive": [
//             {
//               "role": "store",
//               "line": 27,
//               "verb": "release"
//             }
//           ],
//           "wait": [
//             {
//               "role": "load",
//               "line": 17,
//               "verb": "acquire"
//             }
//           ]
//         },
//         {
//           "name": "done",
//           "kind": "event",
//           "first_byte": 26928,
//           "stages": 2,
//           "arrivals": 4,
//           "from_every_cta": false,
//           "phase": "use k: phase k/2",
//           "arrive": [
//             {
//               "role": "store",
//               "line": 28,
//               "verb": "arrive"
//             }
//           ],
//           "wait": []
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
//           "dtype": "bf16",
//           "box": [
//             64,
//             64
//           ],
//           "patched_by": [],
//           "swizzle_bytes": 128
//         }
//       ]
//     }
//   ]
// }
