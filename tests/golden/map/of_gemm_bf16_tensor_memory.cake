// mode: map-of
// of: tests/corpus/gemm/gemm_bf16_tensor_memory.cake
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
//                                                        arrive  load, line 56: tma.load, 16384 bytes
//                                                                load, line 57: tma.load, 16384 bytes
//                                                                load, line 58: expect
//                                                        wait    multiply, line 69: wait
//                       131104..131135       4         1  empty, use k: phase k/4
//                                                        arrive  multiply, line 71: umma.commit
//                                                        wait    load, line 55: wait
//                       131136..131151       2         1  summed, use k: phase k/2
//                                                        arrive  multiply, line 74: umma.commit
//                                                        wait    store, line 31: wait
//                       131152..131167       2         4  stored, use k: phase k/2
//                                                        arrive  store, line 47: arrive
//                                                        wait    multiply, line 67: wait
//   named barriers    1 of 16
//   tensor memory     256 of 512 columns; its address is the word at byte 131168
//                     columns           buffer
//                               0..255  acc            f32[128, 256]
//   tensor maps       name            of              box
//                     x_map           x               (128, 64) bf16, swizzle 128
//                     w_map           w               (128, 64) bf16, swizzle 128
