// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    let a = ld.streamin x[cta, 0]
    let b = exp2.aprox(scale)
  }
}
//--- expected
// error[CK1029]: `ld` has no modifier `streamin` here
//   --> fail_unknown_modifier.cake:10:16
//   10 |     let a = ld.streamin x[cta, 0]
//      |                ^^^^^^^^
//   why: the modifiers of each instruction are a fixed list, in a fixed order, each at most once
//   fix (maybe): use `streaming`
//     10:16: `streamin` -> `streaming`
//
// error[CK1029]: `exp2` has no modifier `aprox` here
//   --> fail_unknown_modifier.cake:11:18
//   11 |     let b = exp2.aprox(scale)
//      |                  ^^^^^
//   why: the modifiers of each instruction are a fixed list, in a fixed order, each at most once
//   fix (maybe): use `approx`
//     11:18: `aprox` -> `approx`
