// mode: map-of
// of: tests/corpus/knn/knn.cake
//--- expected
// program knn, target sm_90a, on sm_90a
// kernel norms
//   launch            grid (ceildiv(N, BN)*(BN/8)), 256 threads (8 warps), 0 bytes of dynamic shared memory
//   registers         role              warps      threads  a thread
//                     main               0..7       0..255  up to 248
//   shared memory     0 of 232448 bytes, 0 of them padding
//   named barriers    1 of 16
// kernel search
//   launch            grid (PARTS, ceildiv(Q, 256)), 384 threads (12 warps), 213040 bytes of dynamic shared memory
//                     may start before the kernel before it has ended
//   registers         role              warps      threads  a thread
//                     load               0..0        0..31  40, setmaxnreg.dec from 168
//                     -                  1..3      32..127  idle
//                     math              4..11     128..383  232, setmaxnreg.inc from 168
//   shared memory     213040 of 232448 bytes, 0 of them padding
//                     bytes of stage 0  stages          buffer
//                             0..65535  1               xs.x           bf16[256, 128] swizzle 128
//                        65536..131071  2 x 65536       cs.c           bf16[256, 128] swizzle 128
//                       196608..204799  2 x 8192        cs.h           bf16[256, 16] swizzle 32
//   mbarriers         6, bytes 212992..213039; use k is on mbarrier k % stages, in a phase whose parity is phase % 2
//                     bytes             stages  arrivals  name
//                       212992..212999       1         1  xs full, use k: phase k
//                                                        arrive  load, line 55: tma.load, 65536 bytes
//                                                                load, line 56: commit
//                                                        wait    math, line 139: wait
//                       213000..213007       1         8  xs empty, acquire k: phase k - 1
//                                                        arrive  math, line 149: release
//                                                        wait    load, line 54: acquire
//                       213008..213023       2         1  cs full, use k: phase k/2
//                                                        arrive  load, line 59: tma.load, 65536 bytes
//                                                                load, line 60: tma.load, 8192 bytes
//                                                                load, line 61: commit
//                                                        wait    math, line 142: wait
//                       213024..213039       2         8  cs empty, acquire k: phase k/2 - 1
//                                                        arrive  math, line 146: release
//                                                        wait    load, line 58: acquire
//   named barriers    1 of 16
//   tensor maps       name            of              box
//                     x_map           x               (256, 64) bf16, swizzle 128
//                     c_map           c               (256, 64) bf16, swizzle 128
//                     norm_map        norm            (256, 16) bf16, swizzle 32
// kernel merge
//   launch            grid (ceildiv(Q, 8)), 256 threads (8 warps), 0 bytes of dynamic shared memory
//                     may start before the kernel before it has ended
//   registers         role              warps      threads  a thread
//                     main               0..7       0..255  up to 248
//   shared memory     0 of 232448 bytes, 0 of them padding
//   named barriers    1 of 16
