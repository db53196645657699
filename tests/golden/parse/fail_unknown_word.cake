// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    sync block
    sync worp
    fence all
    tmem.wait load
    sync role
  }
}
//--- expected
// error[CK0026]: `sync` does not take `block`
//   --> fail_unknown_word.cake:9:10
//    9 |     sync block
//      |          ^^^^^
//   fix (manual): write one of warp, wg, role, cta, cluster
//
// error[CK0026]: `sync` does not take `worp`
//   --> fail_unknown_word.cake:10:10
//   10 |     sync worp
//      |          ^^^^
//   fix (maybe): write `warp`
//     10:10: `worp` -> `warp`
//
// error[CK0026]: `fence` does not take `all`
//   --> fail_unknown_word.cake:11:11
//   11 |     fence all
//      |           ^^^
//   fix (manual): write one of async, cta, cluster, gpu, sys
//
// error[CK0026]: `tmem.wait` does not take `load`
//   --> fail_unknown_word.cake:12:15
//   12 |     tmem.wait load
//      |               ^^^^
//   fix (maybe): write `ld`
//     12:15: `load` -> `ld`
