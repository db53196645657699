// mode: map-of
// of: tests/corpus/gemm/gemm_bf16_umma_2cta.cake
//--- expected
// program gemm_bf16_umma_2cta, target sm_100a, on sm_100a (never run on hardware)
// kernel gemm
//   launch            grid (2*min(SMS/2, tiles)), 192 threads (6 warps), 131216 bytes of dynamic shared memory
//                     cluster of 2 CTAs in x; its threads meet before the roles and after them
//   registers         role              warps      threads  a thread
//                     store              0..3       0..127  up to 248
//                     load               4..4     128..159  up to 248
//                     multiply           5..5     160..191  up to 248
//   shared memory     131216 of 232448 bytes, 12 of them padding
//                     bytes of stage 0  stages          buffer
//                             0..16383  4 x 16384       a              bf16[128, 64] swizzle 128
//                         65536..81919  4 x 16384       b              bf16[128, 64] swizzle 128
//   mbarriers         16, bytes 131072..131199; use k is on mbarrier k % stages, in a phase whose parity is phase % 2
//                     bytes             stages  arrivals  name
//                       131072..131103       4         1  full, use k: phase k/4
//                                                        arrive  load, line 61: tma.load, 16384 bytes
//                                                                load, line 62: tma.load, 16384 bytes
//                                                                load, line 63: expect
//                                                        wait    multiply, line 74: wait
//                       131104..131135       4         2  both, use k: phase k/4
//                                                        arrive  multiply, line 75: arrive
//                                                        wait    multiply, line 77: wait
//                       131136..131167       4         1  empty, use k: phase k/4
//                                                        arrive  multiply, line 79: umma.commit
//                                                        wait    load, line 60: wait
//                       131168..131183       2         1  summed, use k: phase k/2
//                                                        arrive  multiply, line 83: umma.commit
//                                                        wait    store, line 36: wait
//                       131184..131199       2         8  stored, use k: phase k/2
//                                                        arrive  store, line 52: arrive
//                                                        wait    multiply, line 72: wait
//   named barriers    1 of 16
//   tensor memory     512 of 512 columns; its address is the word at byte 131200
//                     columns           buffer
//                               0..511  acc            f32[128, 512]
//   tensor maps       name            of              box
//                     x_map           x               (128, 64) bf16, swizzle 128
//                     w_map           w               (128, 64) bf16, swizzle 128
