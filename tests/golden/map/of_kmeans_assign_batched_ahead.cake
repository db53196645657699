// mode: map-of
// of: tests/corpus/kmeans/kmeans_assign_batched_ahead.cake
//--- expected
// program kmeans_assign_batched, target sm_90a, on sm_90a
// kernel norms
//   launch            grid (ceildiv(K, BN)*(BN/8), B), 256 threads (8 warps), 0 bytes of dynamic shared memory
//   registers         role              warps      threads  a thread
//                     main               0..7       0..255  up to 248
//   shared memory     0 of 232448 bytes, 0 of them padding
//   named barriers    1 of 16
// kernel assign
//   launch            grid (SMS), 384 threads (12 warps), 213088 bytes of dynamic shared memory
//                     may start before the kernel before it has ended
//                     only when N > 0
//   registers         role              warps      threads  a thread
//                     load               0..0        0..31  40, setmaxnreg.dec from 168
//                     -                  1..3      32..127  idle
//                     math              4..11     128..383  232, setmaxnreg.inc from 168
//   shared memory     213088 of 232448 bytes, 0 of them padding
//                     bytes of stage 0  stages          buffer
//                             0..32767  2 x 32768       xs.x           bf16[128, 128] swizzle 128
//                         65536..98303  4 x 32768       cs.c           bf16[128, 128] swizzle 128
//                       196608..200703  4 x 4096        cs.h           bf16[128, 16] swizzle 32
//   mbarriers         12, bytes 212992..213087; use k is on mbarrier k % stages, in a phase whose parity is phase % 2
//                     bytes             stages  arrivals  name
//                       212992..213007       2         1  xs full, use k: phase k/2
//                                                        arrive  load, line 52: tma.load, 32768 bytes
//                                                                load, line 53: commit
//                                                        wait    math, line 114: wait
//                                                                math, line 117: wait
//                       213008..213023       2         8  xs empty, acquire k: phase k/2 - 1
//                                                        arrive  math, line 116: release
//                                                                math, line 119: release
//                                                        wait    load, line 51: acquire
//                       213024..213055       4         1  cs full, use k: phase k/4
//                                                        arrive  load, line 58: tma.load, 32768 bytes
//                                                                load, line 59: tma.load, 4096 bytes
//                                                                load, line 60: commit
//                                                        wait    math, line 121: wait
//                                                                math, line 131: wait
//                       213056..213087       4         8  cs empty, acquire k: phase k/4 - 1
//                                                        arrive  math, line 128: release
//                                                        wait    load, line 57: acquire
//   named barriers    1 of 16
//   tensor maps       name            of              box
//                     x_map           x               (1, 128, 64) bf16, swizzle 128
//                     c_map           c               (1, 128, 64) bf16, swizzle 128
//                     norm_map        norm            (1, 128, 16) bf16, swizzle 32
