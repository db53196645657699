// mode: map-of
// of: tests/corpus/kda/kda_chunk.cake
//--- expected
// program kda_chunk, target sm_100a, on sm_100a (never run on hardware)
// kernel chain
//   launch            grid (BH), 512 threads (16 warps), 197824 bytes of dynamic shared memory
//   registers         role              warps      threads  a thread
//                     compute            0..3       0..127  168, setmaxnreg.inc from 128
//                     epi                4..7     128..255  56, setmaxnreg.dec from 128
//                     prep              8..11     256..383  96, setmaxnreg.dec from 128
//                     tc               12..12     384..415  48, setmaxnreg.dec from 128
//                     load             13..13     416..447  48, setmaxnreg.dec from 128
//                     -                14..15     448..511  idle
//   shared memory     197824 of 232448 bytes, 4 of them padding
//                     bytes of stage 0  stages          buffer
//                              0..8191  5 x 37888       slot.v         bf16[32, 128] swizzle 128
//                          8192..16383  5 x 37888       slot.q         bf16[32, 128] swizzle 128
//                                                        in turn with slot.qd, slot.kd, slot.kx
//                          8192..16383  5 x 37888       slot.qd        bf16[32, 128] swizzle 128
//                                                        in turn with slot.q, slot.k
//                         16384..24575  5 x 37888       slot.k         bf16[32, 128] swizzle 128
//                                                        in turn with slot.qd, slot.kd, slot.kx
//                         16384..24575  5 x 37888       slot.kd        bf16[32, 128] swizzle 128
//                                                        in turn with slot.q, slot.k
//                         24576..32767  5 x 37888       slot.kx        bf16[32, 128] swizzle 128
//                                                        in turn with slot.q, slot.k
//                         32768..37375  5 x 37888       slot.gram      f32[32, 32] padded 4
//                                                        in turn with slot.tinv, slot.aqk
//                         32768..34815  5 x 37888       slot.tinv      bf16[32, 32] swizzle 64
//                                                        in turn with slot.gram
//                         34816..36863  5 x 37888       slot.aqk       bf16[32, 32] swizzle 64
//                                                        in turn with slot.gram
//                         37376..37887  5 x 37888       slot.glast     f32[128] rows
//                       189440..197631  1               out            bf16[32, 128] swizzle 128
//   mbarriers         23, bytes 197632..197815; use k is on mbarrier k % stages, in a phase whose parity is phase % 2
//                     bytes             stages  arrivals  name
//                       197632..197671       5         1  raw, use k: phase k/5
//                                                        arrive  load, line 131: tma.load, 8192 bytes
//                                                                load, line 132: tma.load, 8192 bytes
//                                                                load, line 133: tma.load, 8192 bytes
//                                                                load, line 134: expect
//                                                        wait    prep, line 100: wait
//                       197672..197711       5         4  ops, use k: phase k/5
//                                                        arrive  prep, line 116: arrive
//                                                        wait    compute, line 36: wait
//                                                                tc, line 121: wait
//                       197712..197751       5         5  free, use k: phase k/5
//                                                        arrive  compute, line 49: arrive
//                                                                tc, line 125: umma.commit
//                                                        wait    load, line 130: wait
//                       197752..197759       1         4  ready, use k: phase k
//                                                        arrive  compute, line 34: arrive
//                                                                compute, line 50: arrive
//                                                        wait    tc, line 121: wait
//                       197760..197767       1         1  udone, use k: phase k
//                                                        arrive  tc, line 122: umma.commit
//                                                        wait    compute, line 36: wait
//                       197768..197775       1         4  ulow, use k: phase k
//                                                        arrive  compute, line 39: arrive
//                                                        wait    tc, line 123: wait
//                       197776..197783       1         1  u2done, use k: phase k
//                                                        arrive  tc, line 123: umma.commit
//                                                        wait    compute, line 40: wait
//                       197784..197791       1         4  uuok, use k: phase k
//                                                        arrive  compute, line 42: arrive
//                                                        wait    tc, line 124: wait
//                       197792..197799       1         1  odone, use k: phase k
//                                                        arrive  tc, line 124: umma.commit
//                                                        wait    epi, line 56: wait
//                       197800..197807       1         1  sdone, use k: phase k
//                                                        arrive  tc, line 125: umma.commit
//                                                        wait    compute, line 43: wait
//                       197808..197815       1         4  drained, use k: phase k
//                                                        arrive  epi, line 56: arrive
//                                                        wait    tc, line 121: wait
//   named barriers    3 of 16
//   tensor memory     256 of 512 columns; its address is the word at byte 197816
//                     columns           buffer
//                               0..127  st             f32[128, 128]
//                             128..159  oacc           f32[128, 32]
//                             160..223  sin            bf16[128, 128]
//                                       in turn with u2
//                             160..191  u2             f32[128, 32]
//                                       in turn with sin
//                             224..255  u              f32[128, 32]
//                                       in turn with uin, uu
//                             224..239  uin            bf16[128, 32]
//                                       in turn with u
//                             240..255  uu             bf16[128, 32]
//                                       in turn with u
//   tensor maps       name            of              box
//                     o_map           o               (1, 32, 64) bf16, swizzle 128
//                     q_map           q               (1, 32, 64) bf16, swizzle 128
//                     k_map           k               (1, 32, 64) bf16, swizzle 128
//                     v_map           v               (1, 32, 64) bf16, swizzle 128
