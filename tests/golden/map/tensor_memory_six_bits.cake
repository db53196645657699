// mode: map
program p target sm_100a
// The left operand stays in tensor memory, a byte for each number, for all tiles of the right one.
dim N in 1..=64
in x: e2m3x4[128, 32], w: e2m1x2[32*N, 64]
out y: f32[128, 32*N]
where align(x) % 32 == 0, align(w) % 32 == 0
kernel run {
  grid (1)
  smem a: e2m3[128, 128] swizzle 128
  smem b[2]: e2m1[32, 128] swizzle 128
  tmem left: e2m3[128, 128]
  tmem acc: f32[128, 32]
  event there[1] count 1
  event full[2] count 1
  event free[2] count 1
  event done[1] count 1
  event read[1] count 4
  role load: warps 1 {
    tma.load a <- x[:, :] on there@0
    expect there@0
    for t in 0..N {
      wait free@(t - 2)
      tma.load b@t <- w[t*32:+32, :] on full@t
      expect full@t
    }
  }
  role multiply: warps 1 {
    wait there@0
    tmem.cp left <- a
    for t in 0..N {
      wait full@t
      wait read@(t - 1)
      umma acc = left * b@t.T
      umma.commit free@t
      umma.commit done@t
    }
  }
  role store: warps 4 {
    var f: tmem.32x32b f32[128, 32]
    for t in 0..N {
      wait done@t
      tmem.ld f <- acc
      tmem.wait ld
      arrive read@t
      for e in 0..f.cols { st y[f.row(0), t*32 + e] <- f[0, e] }
    }
  }
}
//--- expected
// program p, target sm_100a, on sm_100a (never run on hardware)
// kernel run
//   launch            grid (1), 256 threads (8 warps), 24640 bytes of dynamic shared memory
//   registers         role              warps      threads  a thread
//                     load               0..0        0..31  up to 248
//                     multiply           1..1       32..63  up to 248
//                     -                  2..3      64..127  idle
//                     store              4..7     128..255  up to 248
//   shared memory     24640 of 232448 bytes, 4 of them padding
//                     bytes of stage 0  stages          buffer
//                             0..16383  1               a              e2m3[128, 128] swizzle 128
//                         16384..20479  2 x 4096        b              e2m1[32, 128] swizzle 128
//   mbarriers         7, bytes 24576..24631; use k is on mbarrier k % stages, in a phase whose parity is phase % 2
//                     bytes             stages  arrivals  name
//                         24576..24583       1         1  there, use k: phase k
//                                                        arrive  load, line 20: tma.load, 12288 bytes
//                                                                load, line 21: expect
//                                                        wait    multiply, line 29: wait
//                         24584..24599       2         1  full, use k: phase k/2
//                                                        arrive  load, line 24: tma.load, 2048 bytes
//                                                                load, line 25: expect
//                                                        wait    multiply, line 32: wait
//                         24600..24615       2         1  free, use k: phase k/2
//                                                        arrive  multiply, line 35: umma.commit
//                                                        wait    load, line 23: wait
//                         24616..24623       1         1  done, use k: phase k
//                                                        arrive  multiply, line 36: umma.commit
//                                                        wait    store, line 42: wait
//                         24624..24631       1         4  read, use k: phase k
//                                                        arrive  store, line 45: arrive
//                                                        wait    multiply, line 33: wait
//   named barriers    1 of 16
//   tensor memory     64 of 512 columns; its address is the word at byte 24632
//                     columns           buffer
//                                0..31  left           e2m3[128, 128]
//                               32..63  acc            f32[128, 32]
//   tensor maps       name            of              box
//                     x_map           x               (128, 128) e2m3, swizzle 128
//                     w_map           w               (32, 128) e2m1, swizzle 128
// {
//   "program": "p",
//   "target": "sm_100a",
//   "arch": "sm_100a",
//   "kernels": [
//     {
//       "name": "run",
//       "function": "p_run",
//       "launch": {
//         "grid": "(1)",
//         "threads": 256,
//         "dynamic_shared_bytes": 24640,
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
//           "registers": 0,
//           "at_launch": 248,
//           "setmaxnreg": ""
//         },
//         {
//           "role": "multiply",
//           "first_warp": 1,
//           "warps": 1,
//           "registers": 0,
//           "at_launch": 248,
//           "setmaxnreg": ""
//         },
//         {
//           "role": "",
//           "first_warp": 2,
//           "warps": 2,
//           "registers": 0,
//           "at_launch": 248,
//           "setmaxnreg": ""
//         },
//         {
//           "role": "store",
//           "first_warp": 4,
//           "warps": 4,
//           "registers": 0,
//           "at_launch": 248,
//           "setmaxnreg": ""
//         }
//       ],
//       "shared": {
//         "bytes": 24640,
//         "limit_bytes": 232448,
//         "padding_bytes": 4,
//         "buffers": [
//           {
//             "name": "a",
//             "type": "e2m3[128, 128]",
//             "form": "swizzle 128",
//             "first_byte": 0,
//             "bytes": 16384,
//             "stages": 1,
//             "stage_distance_bytes": 16384,
//             "in_turn_with": []
//           },
//           {
//             "name": "b",
//             "type": "e2m1[32, 128]",
//             "form": "swizzle 128",
//             "first_byte": 16384,
//             "bytes": 4096,
//             "stages": 2,
//             "stage_distance_bytes": 4096,
//             "in_turn_with": []
//           }
//         ]
//       },
//       "mbarriers": [
//         {
//           "name": "there",
//           "kind": "event",
//           "first_byte": 24576,
//           "stages": 1,
//           "arrivals": 1,
//           "from_every_cta": false,
//           "phase": "use k: phase k",
//           "arrive": [
//             {
//               "role": "load",
//               "line": 20,
//               "verb": "tma.load",
//               "bytes": 12288
//             },
//             {
//               "role": "load",
//               "line": 21,
//               "verb": "expect"
//             }
//           ],
//           "wait": [
//             {
//               "role": "multiply",
//               "line": 29,
//               "verb": "wait"
//             }
//           ]
//         },
//         {
//           "name": "full",
//           "kind": "event",
//           "first_byte": 24584,
//           "stages": 2,
//           "arrivals": 1,
//           "from_every_cta": false,
//           "phase": "use k: phase k/2",
//           "arrive": [
//             {
//               "role": "load",
//               "line": 24,
//               "verb": "tma.load",
//               "bytes": 2048
//             },
//             {
//               "role": "load",
//               "line": 25,
//               "verb": "expect"
//             }
//           ],
//           "wait": [
//             {
//               "role": "multiply",
//               "line": 32,
//               "verb": "wait"
//             }
//           ]
//         },
//         {
//           "name": "free",
//           "kind": "event",
//           "first_byte": 24600,
//           "stages": 2,
//           "arrivals": 1,
//           "from_every_cta": false,
//           "phase": "use k: phase k/2",
//           "arrive": [
//             {
//               "role": "multiply",
//               "line": 35,
//               "verb": "umma.commit"
//             }
//           ],
//           "wait": [
//             {
//               "role": "load",
//               "line": 23,
//               "verb": "wait"
//             }
//           ]
//         },
//         {
//           "name": "done",
//           "kind": "event",
//           "first_byte": 24616,
//           "stages": 1,
//           "arrivals": 1,
//           "from_every_cta": false,
//           "phase": "use k: phase k",
//           "arrive": [
//             {
//               "role": "multiply",
//               "line": 36,
//               "verb": "umma.commit"
//             }
//           ],
//           "wait": [
//             {
//               "role": "store",
//               "line": 42,
//               "verb": "wait"
//             }
//           ]
//         },
//         {
//           "name": "read",
//           "kind": "event",
//           "first_byte": 24624,
//           "stages": 1,
//           "arrivals": 4,
//           "from_every_cta": false,
//           "phase": "use k: phase k",
//           "arrive": [
//             {
//               "role": "store",
//               "line": 45,
//               "verb": "arrive"
//             }
//           ],
//           "wait": [
//             {
//               "role": "multiply",
//               "line": 33,
//               "verb": "wait"
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
//         "columns": 64,
//         "limit_columns": 512,
//         "buffers": [
//           {
//             "name": "left",
//             "type": "e2m3[128, 128]",
//             "first_column": 0,
//             "columns": 32,
//             "in_turn_with": []
//           },
//           {
//             "name": "acc",
//             "type": "f32[128, 32]",
//             "first_column": 32,
//             "columns": 32,
//             "in_turn_with": []
//           }
//         ]
//       },
//       "tensor_maps": [
//         {
//           "name": "x_map",
//           "tensor": "x",
//           "dtype": "e2m3",
//           "box": [
//             128,
//             128
//           ],
//           "patched_by": [],
//           "swizzle_bytes": 128
//         },
//         {
//           "name": "w_map",
//           "tensor": "w",
//           "dtype": "e2m1",
//           "box": [
//             32,
//             128
//           ],
//           "patched_by": [],
//           "swizzle_bytes": 128
//         }
//       ]
//     }
//   ],
//   "hardware": "never run on hardware"
// }
