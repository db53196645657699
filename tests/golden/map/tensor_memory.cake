// mode: map
// y = x w^T on the tensor cores of tensor memory. CTAs take tiles in turn; of each, one warp brings the
// operands, one multiplies, and four store. Two accumulators lie side by side, so that one is stored
// while the next is summed up.
program gemm_bf16_tensor_memory target sm_100a
dim M in 1..=16384, N in 8..=16384, K in 8..=16384
param BN in {32, 64, 128} = 128
param STAGES in 2..=5 = 4
in x: bf16[M, K], w: bf16[N, K]
out y: bf16[M, N]
where K % 8 == 0, N % 8 == 0
kernel gemm {
  const BM = 128
  const BK = 64
  const W = 32  // columns that a thread holds at a time
  let rows = ceildiv(M, BM)
  let tiles = rows*ceildiv(N, BN)
  let trips = ceildiv(K, BK)
  grid (min(SMS, tiles))
  smem a[STAGES]: bf16[BM, BK] swizzle 128
  smem b[STAGES]: bf16[BN, BK] swizzle 128
  tmem acc: f32[BM, 2*BN]
  event full[STAGES] count 1
  event empty[STAGES] count 1
  event summed[2] count 1
  event stored[2] count 4
  iter work() -> (i32, i32) { for t in cta..tiles step ctas { yield t % rows * BM, t / rows * BN } }
  role store: warps 4 {
    var f: tmem.32x32b f32[BM, W]
    var i = 0
    for (m, n) in work() {
      wait summed@i
      let row = m + f.row(0)
      for c in 0..BN/W {
        tmem.ld f <- acc[:, i % 2 * BN + c*W:+W]
        tmem.wait ld
        if row < M {
          for e in 0..W step 8 {
            let column = n + c*W + e
            if column < N {
              st y[row, column:+8] <-
                  cvt.bf16([f[0, e], f[0, e + 1], f[0, e + 2], f[0, e + 3], f[0, e + 4],
                  f[0, e + 5], f[0, e + 6], f[0, e + 7]])
            }
          }
        }
      }
      arrive stored@i
      i += 1
    }
  }
  role load: warps 1 {
    var k = 0
    for (m, n) in work() {
      for t in 0..trips {
        wait empty@(k - STAGES)
        tma.load a@k <- x[m:+BM, t*BK:+BK] on full@k
        tma.load b@k <- w[n:+BN, t*BK:+BK] on full@k
        expect full@k
        k += 1
      }
    }
  }
  role multiply: warps 1 {
    var k = 0
    var i = 0
    for (m, n) in work() {
      wait stored@(i - 2)
      for t in 0..trips {
        wait full@k
        umma acc[:, i % 2 * BN:+BN] += a@k * b@k.T zero t == 0
        umma.commit empty@k
        k += 1
      }
      umma.commit summed@i
      i += 1
    }
  }
}
//--- expected
// program gemm_bf16_tensor_memory, target sm_100a, on sm_100a (never run on hardware)
// kernel gemm
//   launch            grid (min(SMS, tiles)), 192 threads (6 warps), 131184 bytes of dynamic shared memory
//   registers         role              warps      threads  a thread
//                     store              0..3       0..127  up to 248
//                     load               4..4     128..159  up to 248
//                     multiply           5..5     160..191  up to 248
//   shared memory     131184 of 232448 bytes, 12 of them padding
//                     bytes of stage 0  stages          buffer
//                             0..16383  4 x 16384       a              bf16[128, 64] swizzle 128
//                         65536..81919  4 x 16384       b              bf16[128, 64] swizzle 128
//   mbarriers         12, bytes 131072..131167; use k is on mbarrier k % stages, in a phase whose parity is phase % 2
//                     bytes             stages  arrivals  name
//                       131072..131103       4         1  full, use k: phase k/4
//                                                        arrive  load, line 57: tma.load, 16384 bytes
//                                                                load, line 58: tma.load, 16384 bytes
//                                                                load, line 59: expect
//                                                        wait    multiply, line 70: wait
//                       131104..131135       4         1  empty, use k: phase k/4
//                                                        arrive  multiply, line 72: umma.commit
//                                                        wait    load, line 56: wait
//                       131136..131151       2         1  summed, use k: phase k/2
//                                                        arrive  multiply, line 75: umma.commit
//                                                        wait    store, line 32: wait
//                       131152..131167       2         4  stored, use k: phase k/2
//                                                        arrive  store, line 48: arrive
//                                                        wait    multiply, line 68: wait
//   named barriers    1 of 16
//   tensor memory     256 of 512 columns; its address is the word at byte 131168
//                     columns           buffer
//                               0..255  acc            f32[128, 256]
//   tensor maps       name            of              box
//                     x_map           x               (128, 64) bf16, swizzle 128
//                     w_map           w               (128, 64) bf16, swizzle 128
// {
//   "program": "gemm_bf16_tensor_memory",
//   "target": "sm_100a",
//   "arch": "sm_100a",
//   "kernels": [
//     {
//       "name": "gemm",
//       "function": "gemm_bf16_tensor_memory_gemm",
//       "launch": {
//         "grid": "(min(SMS, tiles))",
//         "threads": 192,
//         "dynamic_shared_bytes": 131184,
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
//           "role": "store",
//           "first_warp": 0,
//           "warps": 4,
//           "registers": 0,
//           "at_launch": 248,
//           "setmaxnreg": ""
//         },
//         {
//           "role": "load",
//           "first_warp": 4,
//           "warps": 1,
//           "registers": 0,
//           "at_launch": 248,
//           "setmaxnreg": ""
//         },
//         {
//           "role": "multiply",
//           "first_warp": 5,
//           "warps": 1,
//           "registers": 0,
//           "at_launch": 248,
//           "setmaxnreg": ""
//         }
//       ],
//       "shared": {
//         "bytes": 131184,
//         "limit_bytes": 232448,
//         "padding_bytes": 12,
//         "buffers": [
//           {
//             "name": "a",
//             "type": "bf16[128, 64]",
//             "form": "swizzle 128",
//             "first_byte": 0,
//             "bytes": 16384,
//             "stages": 4,
//             "stage_distance_bytes": 16384,
//             "in_turn_with": []
//           },
//           {
//             "name": "b",
//             "type": "bf16[128, 64]",
//             "form": "swizzle 128",
//             "first_byte": 65536,
//             "bytes": 16384,
//             "stages": 4,
//             "stage_distance_bytes": 16384,
//             "in_turn_with": []
//           }
//         ]
//       },
//       "mbarriers": [
//         {
//           "name": "full",
//           "kind": "event",
//           "first_byte": 131072,
//           "stages": 4,
//           "arrivals": 1,
//           "from_every_cta": false,
//           "phase": "use k: phase k/4",
//           "arrive": [
//             {
//               "role": "load",
//               "line": 57,
//               "verb": "tma.load",
//               "bytes": 16384
//             },
//             {
//               "role": "load",
//               "line": 58,
//               "verb": "tma.load",
//               "bytes": 16384
//             },
//             {
//               "role": "load",
//               "line": 59,
//               "verb": "expect"
//             }
//           ],
//           "wait": [
//             {
//               "role": "multiply",
//               "line": 70,
//               "verb": "wait"
//             }
//           ]
//         },
//         {
//           "name": "empty",
//           "kind": "event",
//           "first_byte": 131104,
//           "stages": 4,
//           "arrivals": 1,
//           "from_every_cta": false,
//           "phase": "use k: phase k/4",
//           "arrive": [
//             {
//               "role": "multiply",
//               "line": 72,
//               "verb": "umma.commit"
//             }
//           ],
//           "wait": [
//             {
//               "role": "load",
//               "line": 56,
//               "verb": "wait"
//             }
//           ]
//         },
//         {
//           "name": "summed",
//           "kind": "event",
//           "first_byte": 131136,
//           "stages": 2,
//           "arrivals": 1,
//           "from_every_cta": false,
//           "phase": "use k: phase k/2",
//           "arrive": [
//             {
//               "role": "multiply",
//               "line": 75,
//               "verb": "umma.commit"
//             }
//           ],
//           "wait": [
//             {
//               "role": "store",
//               "line": 32,
//               "verb": "wait"
//             }
//           ]
//         },
//         {
//           "name": "stored",
//           "kind": "event",
//           "first_byte": 131152,
//           "stages": 2,
//           "arrivals": 4,
//           "from_every_cta": false,
//           "phase": "use k: phase k/2",
//           "arrive": [
//             {
//               "role": "store",
//               "line": 48,
//               "verb": "arrive"
//             }
//           ],
//           "wait": [
//             {
//               "role": "multiply",
//               "line": 68,
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
//         "columns": 256,
//         "limit_columns": 512,
//         "buffers": [
//           {
//             "name": "acc",
//             "type": "f32[128, 256]",
//             "first_column": 0,
//             "columns": 256,
//             "in_turn_with": []
//           }
//         ]
//       },
//       "tensor_maps": [
//         {
//           "name": "x_map",
//           "tensor": "x",
//           "dtype": "bf16",
//           "box": [
//             128,
//             64
//           ],
//           "patched_by": [],
//           "swizzle_bytes": 128
//         },
//         {
//           "name": "w_map",
//           "tensor": "w",
//           "dtype": "bf16",
//           "box": [
//             128,
//             64
//           ],
//           "patched_by": [],
//           "swizzle_bytes": 128
//         }
//       ]
//     }
//   ],
//   "hardware": "never run on hardware"
// }
