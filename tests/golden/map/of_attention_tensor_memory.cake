// mode: map-of
// of: tests/corpus/attention/attention_tensor_memory.cake
//--- expected
// program attention_tensor_memory, target sm_100a, on sm_100a (never run on hardware)
// kernel forward
//   launch            grid (ceildiv(SQ, BM), HQ, B), 192 threads (6 warps), 98416 bytes of dynamic shared memory
//   registers         role              warps      threads  a thread
//                     softmax            0..3       0..127  up to 248
//                     load               4..4     128..159  up to 248
//                     multiply           5..5     160..191  up to 248
//   shared memory     98416 of 232448 bytes, 4 of them padding
//                     bytes of stage 0  stages          buffer
//                             0..32767  1               sq             bf16[128, 128] swizzle 128
//                         32768..49151  2 x 16384       sk             bf16[64, 128] swizzle 128
//                         65536..81919  2 x 16384       sv             bf16[64, 128] swizzle 128
//   mbarriers         13, bytes 98304..98407; use k is on mbarrier k % stages, in a phase whose parity is phase % 2
//                     bytes             stages  arrivals  name
//                         98304..98311       1         1  queries, use k: phase k
//                                                        arrive  load, line 89: tma.load, 32768 bytes
//                                                                load, line 90: expect
//                                                        wait    multiply, line 107: wait
//                         98312..98327       2         1  keys, use k: phase k/2
//                                                        arrive  load, line 93: tma.load, 16384 bytes
//                                                                load, line 94: expect
//                                                        wait    multiply, line 102: wait
//                         98328..98343       2         1  keys_free, use k: phase k/2
//                                                        arrive  multiply, line 104: umma.commit
//                                                        wait    load, line 92: wait
//                         98344..98359       2         1  values, use k: phase k/2
//                                                        arrive  load, line 96: tma.load, 16384 bytes
//                                                                load, line 97: expect
//                                                        wait    multiply, line 111: wait
//                         98360..98375       2         1  values_free, use k: phase k/2
//                                                        arrive  multiply, line 114: umma.commit
//                                                        wait    load, line 95: wait
//                         98376..98391       2         1  scored, use k: phase k/2
//                                                        arrive  multiply, line 105: umma.commit
//                                                        wait    softmax, line 69: wait
//                         98392..98399       1         4  weighed, use k: phase k
//                                                        arrive  softmax, line 66: arrive
//                                                        wait    multiply, line 112: wait
//                         98400..98407       1         1  summed, use k: phase k
//                                                        arrive  multiply, line 115: umma.commit
//                                                        wait    softmax, line 55: wait
//                                                                softmax, line 72: wait
//   named barriers    1 of 16
//   tensor memory     512 of 512 columns; its address is the word at byte 98408
//                     columns           buffer
//                               0..127  scores         f32[128, 128]
//                             128..255  sums           f32[128, 128]
//                             256..287  weights        bf16[128, 64]
//   tensor maps       name            of              box
//                     q_map           q               (1, 1, 128, 64) bf16, swizzle 128
//                     k_map           k               (1, 1, 64, 64) bf16, swizzle 128
//                     v_map           v               (1, 1, 64, 64) bf16, swizzle 128
