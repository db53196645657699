// mode: map-of
// of: tests/corpus/grouped_gemm/grouped_swiglu_experts.cake
//--- expected
// program grouped_swiglu, target sm_90a, on sm_90a
// kernel experts
//   launch            grid (SMS), 384 threads (12 warps), 181312 bytes of dynamic shared memory
//   registers         role              warps      threads  a thread
//                     load               0..0        0..31  40, setmaxnreg.dec from 168
//                     -                  1..3      32..127  idle
//                     math              4..11     128..383  232, setmaxnreg.inc from 168
//   shared memory     181312 of 232448 bytes, 0 of them padding
//                     bytes of stage 0  stages          buffer
//                             0..16383  4 x 16384       ab.g           bf16[128, 64] swizzle 128
//                         65536..81919  4 x 16384       ab.u           bf16[128, 64] swizzle 128
//                       131072..139263  4 x 8192        ab.x           bf16[64, 64] swizzle 128
//                       163840..181247  1               out            bf16[64, 128] padded 8
//   mbarriers         8, bytes 181248..181311; use k is on mbarrier k % stages, in a phase whose parity is phase % 2
//                     bytes             stages  arrivals  name
//                       181248..181279       4         1  ab full, use k: phase k/4
//                                                        arrive  load, line 39: tma.load, 16384 bytes
//                                                                load, line 40: tma.load, 16384 bytes
//                                                                load, line 46: tma.load, 8192 bytes
//                                                                load, line 47: commit
//                                                        wait    math, line 58: wait
//                       181280..181311       4         8  ab empty, acquire k: phase k/4 - 1
//                                                        arrive  math, line 63: release
//                                                                math, line 67: release
//                                                        wait    load, line 37: acquire
//   named barriers    2 of 16
//   tensor maps       name            of              box
//                     w_map           w               (1, 1, 128, 64) bf16, swizzle 128
//                     x_map           x               (64, 64) bf16, swizzle 128
