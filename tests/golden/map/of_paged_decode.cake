// mode: map-of
// of: tests/corpus/paged_decode/paged_decode.cake
//--- expected
// program paged_decode, target sm_90a, on sm_90a
// kernel split
//   launch            grid (SPLITS, ceildiv(HK, HEADS), B), 128 threads (4 warps), 98304 bytes of dynamic shared memory
//   registers         role              warps      threads  a thread
//                     main               0..3       0..127  up to 248
//   shared memory     98304 of 232448 bytes, 0 of them padding
//                     bytes of stage 0  stages          buffer
//                             0..16383  3 x 16384       ks             bf16[64, 128] swizzle 128
//                         49152..65535  3 x 16384       vs             bf16[64, 128] swizzle 128
//   named barriers    1 of 16
// kernel combine
//   launch            grid (HK, B), 256 threads (8 warps), 0 bytes of dynamic shared memory
//                     may start before the kernel before it has ended
//   registers         role              warps      threads  a thread
//                     main               0..7       0..255  up to 248
//   shared memory     0 of 232448 bytes, 0 of them padding
//   named barriers    1 of 16
