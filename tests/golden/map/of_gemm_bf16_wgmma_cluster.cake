// mode: map-of
// of: tests/corpus/gemm/gemm_bf16_wgmma_cluster.cake
//--- expected
// program gemm_bf16, target sm_90a, on sm_90a
// kernel gemm
//   launch            grid (SMS), 384 threads (12 warps), 131136 bytes of dynamic shared memory
//                     cluster of 2 CTAs in x; its threads meet before the roles and after them
//   registers         role              warps      threads  a thread
//                     load               0..0        0..31  40, setmaxnreg.dec from 168
//                     -                  1..3      32..127  idle
//                     math              4..11     128..383  232, setmaxnreg.inc from 168
//   shared memory     131136 of 232448 bytes, 0 of them padding
//                     bytes of stage 0  stages          buffer
//                             0..16383  4 x 16384       ab.a           bf16[128, 64] swizzle 128
//                         65536..81919  4 x 16384       ab.b           bf16[128, 64] swizzle 128
//   mbarriers         8, bytes 131072..131135; use k is on mbarrier k % stages, in a phase whose parity is phase % 2
//                     bytes             stages  arrivals  name
//                       131072..131103       4         1  ab full, use k: phase k/4
//                                                        arrive  load, line 33: tma.load, 16384 bytes
//                                                                load, line 34: tma.load, 8192 bytes
//                                                                load, line 35: commit
//                                                        wait    math, line 45: wait
//                       131104..131135       4        16  ab empty, acquire k: phase k/4 - 1, from every CTA of the cluster
//                                                        arrive  math, line 49: release
//                                                                math, line 53: release
//                                                        wait    load, line 32: acquire
//   named barriers    1 of 16
//   tensor maps       name            of              box
//                     x_map           x               (128, 64) bf16, swizzle 128
//                     w_map           w               (64, 64) bf16, swizzle 128
