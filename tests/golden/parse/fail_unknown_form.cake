// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    var a: wgmma.b f32[64, 8]
    var b: tmem.32x32 f32[128, 8]
    var c: mna f32[16, 8]
    var d: mma f32[16]
    var e: mma f32
    var f: wgmma f32[64, 8]
  }
}
//--- expected
// error[CK0055]: `wgmma.b` is no fragment form
//   --> fail_unknown_form.cake:9:12
//    9 |     var a: wgmma.b f32[64, 8]
//      |            ^^^^^^^
//   why: forms are wgmma, wgmma.a, mma, mma.a, mma.b, tmem.32x32b, tmem.16x64b, tmem.16x128b, tmem.16x256b
//   fix (maybe): write `wgmma.a`
//     9:12: `wgmma.b` -> `wgmma.a`
//
// error[CK0055]: `tmem.32x32` is no fragment form
//   --> fail_unknown_form.cake:10:12
//   10 |     var b: tmem.32x32 f32[128, 8]
//      |            ^^^^^^^^^^
//   why: forms are wgmma, wgmma.a, mma, mma.a, mma.b, tmem.32x32b, tmem.16x64b, tmem.16x128b, tmem.16x256b
//   fix (maybe): write `tmem.32x32b`
//     10:12: `tmem.32x32` -> `tmem.32x32b`
//
// error[CK0055]: `mna` is no fragment form
//   --> fail_unknown_form.cake:11:12
//   11 |     var c: mna f32[16, 8]
//      |            ^^^
//   why: forms are wgmma, wgmma.a, mma, mma.a, mma.b, tmem.32x32b, tmem.16x64b, tmem.16x128b, tmem.16x256b
//   fix (maybe): write `mma`
//     11:12: `mna` -> `mma`
//
// error[CK0010]: expected `,`, found `]`
//   --> fail_unknown_form.cake:12:22
//   12 |     var d: mma f32[16]
//      |                      ^
//
// error[CK0011]: expected `[` before the end of the line
//   --> fail_unknown_form.cake:13:19
//   13 |     var e: mma f32
//      |                   ^
//   why: a line break ends a statement, except inside ( ) and [ ] and after an operator or `,`
