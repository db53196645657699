// mode: map-of
// of: tests/corpus/gemm_nvfp4/gemm_nvfp4_2cta.cake
//--- expected
// program gemm_nvfp4_2cta, target sm_100a, on sm_100a (never run on hardware)
// kernel gemm
//   launch            grid (2*min(SMS/2, tiles)), 192 threads (6 warps), 114832 bytes of dynamic shared memory
//                     cluster of 2 CTAs in x; its threads meet before the roles and after them
//   registers         role              warps      threads  a thread
//                     store              0..3       0..127  up to 248
//                     load               4..4     128..159  up to 248
//                     multiply           5..5     160..191  up to 248
//   shared memory     114832 of 232448 bytes, 12 of them padding
//                     bytes of stage 0  stages          buffer
//                             0..16383  4 x 16384       ta             e2m1x2[128, 128] swizzle 128
//                         65536..73727  4 x 8192        tb             e2m1x2[64, 128] swizzle 128
//                        98304..100351  4 x 2048        ua             ue4m3[4, 32, 16] rows
//                       106496..108543  4 x 2048        ub             ue4m3[4, 32, 16] rows
//   mbarriers         16, bytes 114688..114815; use k is on mbarrier k % stages, in a phase whose parity is phase % 2
//                     bytes             stages  arrivals  name
//                       114688..114719       4         1  full, use k: phase k/4
//                                                        arrive  load, line 64: tma.load, 16384 bytes
//                                                                load, line 65: tma.load, 8192 bytes
//                                                                load, line 66: tma.load, 2048 bytes
//                                                                load, line 67: tma.load, 2048 bytes
//                                                                load, line 68: expect
//                                                        wait    multiply, line 79: wait
//                       114720..114751       4         2  both, use k: phase k/4
//                                                        arrive  multiply, line 80: arrive
//                                                        wait    multiply, line 82: wait
//                       114752..114783       4         1  empty, use k: phase k/4
//                                                        arrive  multiply, line 88: umma.commit
//                                                        wait    load, line 63: wait
//                                                                multiply, line 83: wait
//                       114784..114799       2         1  summed, use k: phase k/2
//                                                        arrive  multiply, line 92: umma.commit
//                                                        wait    store, line 42: wait
//                       114800..114815       2         8  stored, use k: phase k/2
//                                                        arrive  store, line 55: arrive
//                                                        wait    multiply, line 77: wait
//   named barriers    1 of 16
//   tensor memory     512 of 512 columns; its address is the word at byte 114816
//                     columns           buffer
//                               0..255  acc            f32[128, 256]
//                             256..287  va             ue4m3[128, 32]
//                             288..319  vb             ue4m3[128, 32]
//   tensor maps       name            of              box
//                     a_map           a               (128, 128) e2m1x2, swizzle 128
//                     b_map           b               (64, 128) e2m1x2, swizzle 128
//                     sa_map          sa              (1, 4, 32, 16) ue4m3, rows
//                     sb_map          sb              (1, 4, 32, 16) ue4m3, rows
