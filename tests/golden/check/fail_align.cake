// mode: check
program p target sm_80
in x: f32[64]
out y: f32[4]
where align(x) % 96 == 0, align(x) == 128
kernel k { grid (1); role main: warps 1 { once { st y[0] <- ld x[0] } } }
//--- expected
// error[CK1246]: an alignment is required as `align(x) % B == 0`, B a power of two up to 4096
//   --> fail_align.cake:5:7
//    5 | where align(x) % 96 == 0, align(x) == 128
//      |       ^^^^^^^^^^^^^^^^^^
//   why: the launcher checks where a tensor's memory begins; nothing else of an address can be asked
//
// error[CK1246]: an alignment is required as `align(x) % B == 0`, B a power of two up to 4096
//   --> fail_align.cake:5:27
//    5 | where align(x) % 96 == 0, align(x) == 128
//      |                           ^^^^^^^^^^^^^^^
//   why: the launcher checks where a tensor's memory begins; nothing else of an address can be asked
