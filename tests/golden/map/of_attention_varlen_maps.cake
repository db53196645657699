// mode: map-of
// of: tests/corpus/attention/attention_varlen_maps.cake
//--- expected
// program attention_varlen_maps, target sm_90a, on sm_90a
// kernel fwd
//   launch            grid (SMS), 384 threads (12 warps), 196704 bytes of dynamic shared memory
//   registers         role              warps      threads  a thread
//                     load               0..0        0..31  24, setmaxnreg.dec from 168
//                     -                  1..3      32..127  idle
//                     math              4..11     128..383  240, setmaxnreg.inc from 168
//   shared memory     196704 of 232448 bytes, 8 of them padding
//                     bytes of stage 0  stages          buffer
//                             0..32767  1               qs.q           bf16[128, 128] swizzle 128
//                         32768..65535  2 x 32768       ks.k           bf16[128, 128] swizzle 128
//                        98304..131071  2 x 32768       vs.v           bf16[128, 128] swizzle 128
//                       163840..196607  1               out            bf16[128, 128] swizzle 128
//   mbarriers         11, bytes 196608..196695; use k is on mbarrier k % stages, in a phase whose parity is phase % 2
//                     bytes             stages  arrivals  name
//                       196608..196615       1         1  qs full, use k: phase k
//                                                        arrive  load, line 44: tma.load, 32768 bytes
//                                                                load, line 44: commit
//                                                        wait    math, line 92: wait
//                       196616..196623       1         8  qs empty, acquire k: phase k - 1
//                                                        arrive  math, line 103: release
//                                                        wait    load, line 44: acquire
//                       196624..196639       2         1  ks full, use k: phase k/2
//                                                        arrive  load, line 48: tma.load, 32768 bytes
//                                                                load, line 48: commit
//                                                        wait    math, line 92: wait
//                                                                math, line 80: wait
//                       196640..196655       2         8  ks empty, acquire k: phase k/2 - 1
//                                                        arrive  math, line 96: release
//                                                                math, line 85: release
//                                                        wait    load, line 48: acquire
//                       196656..196671       2         1  vs full, use k: phase k/2
//                                                        arrive  load, line 49: tma.load, 32768 bytes
//                                                                load, line 49: commit
//                                                        wait    math, line 82: wait
//                                                                math, line 101: wait
//                       196672..196687       2         8  vs empty, acquire k: phase k/2 - 1
//                                                        arrive  math, line 87: release
//                                                                math, line 103: release
//                                                        wait    load, line 49: acquire
//                       196688..196695       1         8  over, use k: phase k
//                                                        arrive  math, line 101: arrive
//                                                        wait    load, line 42: wait
//   named barriers    5 of 16
//                     ids 1..2          turn, 256 threads
//   tensor maps       name            of              box
//                     q_map           q               (128, 1, 64) bf16, swizzle 128
//                     k_map           k               (128, 1, 64) bf16, swizzle 128
//                     v_map           v               (128, 1, 64) bf16, swizzle 128
//                                       each warp of load patches a copy of its own
//                     o_map           o               (64, 1, 64) bf16, swizzle 128
//                                       each warp of math patches a copy of its own
