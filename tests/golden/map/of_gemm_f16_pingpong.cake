// mode: map-of
// of: tests/corpus/gemm/gemm_f16_pingpong.cake
//--- expected
// program gemm_f16, target sm_90a, on sm_90a
// kernel gemm
//   launch            grid (SMS), 384 threads (12 warps), 163904 bytes of dynamic shared memory
//   registers         role              warps      threads  a thread
//                     load               0..0        0..31  40, setmaxnreg.dec from 168
//                     -                  1..3      32..127  idle
//                     math              4..11     128..383  232, setmaxnreg.inc from 168
//   shared memory     163904 of 232448 bytes, 0 of them padding
//                     bytes of stage 0  stages          buffer
//                              0..8191  4 x 8192        ab.a           f16[64, 64] swizzle 128
//                         32768..65535  4 x 32768       ab.b           f16[256, 64] swizzle 128
//   mbarriers         8, bytes 163840..163903; use k is on mbarrier k % stages, in a phase whose parity is phase % 2
//                     bytes             stages  arrivals  name
//                       163840..163871       4         1  ab full, use k: phase k/4
//                                                        arrive  load, line 25: tma.load, 8192 bytes
//                                                                load, line 26: tma.load, 32768 bytes
//                                                                load, line 27: commit
//                                                        wait    math, line 41: wait
//                                                                math, line 60: wait
//                       163872..163903       4         8  ab empty, acquire k: phase k/4 - 1
//                                                        arrive  math, line 45: release
//                                                                math, line 50: release
//                                                                math, line 61: release
//                                                        wait    load, line 24: acquire
//   named barriers    3 of 16
//                     ids 1..2          turn, 256 threads
//   tensor maps       name            of              box
//                     x_map           x               (64, 64) f16, swizzle 128
//                     w_map           w               (256, 64) f16, swizzle 128
