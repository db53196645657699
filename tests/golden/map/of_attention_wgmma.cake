// mode: map-of
// of: tests/corpus/attention/attention_wgmma.cake
//--- expected
// program attention, target sm_90a, on sm_90a
// kernel forward
//   launch            grid (ceildiv(SQ, BM), HQ, B), 384 threads (12 warps), 163920 bytes of dynamic shared memory
//   registers         role              warps      threads  a thread
//                     load               0..0        0..31  24, setmaxnreg.dec from 168
//                     -                  1..3      32..127  idle
//                     math              4..11     128..383  240, setmaxnreg.inc from 168
//   shared memory     163920 of 232448 bytes, 0 of them padding
//                     bytes of stage 0  stages          buffer
//                             0..32767  1               qs.q           bf16[128, 128] swizzle 128
//                         32768..65535  2 x 32768       ks.k           bf16[128, 128] swizzle 128
//                        98304..131071  2 x 32768       vs.v           bf16[128, 128] swizzle 128
//   mbarriers         10, bytes 163840..163919; use k is on mbarrier k % stages, in a phase whose parity is phase % 2
//                     bytes             stages  arrivals  name
//                       163840..163847       1         1  qs full, use k: phase k
//                                                        arrive  load, line 25: tma.load, 32768 bytes
//                                                                load, line 26: commit
//                                                        wait    math, line 80: wait
//                       163848..163855       1         8  qs empty, acquire k: phase k - 1
//                                                        arrive  math, line 97: release
//                                                        wait    load, line 24: acquire
//                       163856..163871       2         1  ks full, use k: phase k/2
//                                                        arrive  load, line 29: tma.load, 32768 bytes
//                                                                load, line 30: commit
//                                                        wait    math, line 81: wait
//                                                                math, line 63: wait
//                       163872..163887       2         8  ks empty, acquire k: phase k/2 - 1
//                                                        arrive  math, line 87: release
//                                                                math, line 72: release
//                                                        wait    load, line 28: acquire
//                       163888..163903       2         1  vs full, use k: phase k/2
//                                                        arrive  load, line 32: tma.load, 32768 bytes
//                                                                load, line 33: commit
//                                                        wait    math, line 67: wait
//                                                                math, line 92: wait
//                       163904..163919       2         8  vs empty, acquire k: phase k/2 - 1
//                                                        arrive  math, line 75: release
//                                                                math, line 96: release
//                                                        wait    load, line 31: acquire
//   named barriers    3 of 16
//                     ids 1..2          turn, 256 threads
//   tensor maps       name            of              box
//                     q_map           q               (1, 1, 128, 64) bf16, swizzle 128
//                     k_map           k               (1, 1, 128, 64) bf16, swizzle 128
//                     v_map           v               (1, 1, 128, 64) bf16, swizzle 128
