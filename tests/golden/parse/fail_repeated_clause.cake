// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  numerics ftz ftz
  role main: warps 4 {
    tma.load s <- x[0:+4] on e@0 on e@1
    tma.load s <- x[0:+4] multicast 3 multicast 1
    tma.load s <- x[0:+4] cache evict_first cache evict_last
    st y[0] <- s[0] else 0 else 1
    wgmma a = s * s.T zero true zero false
    umma a = s * s scale s, s scale s, s
    let d = 4
  }
}
//--- expected
// error[CK0052]: `ftz` is given twice
//   --> fail_repeated_clause.cake:8:16
//    8 |   numerics ftz ftz
//      |                ^^^
//
// error[CK0052]: `on` is given twice
//   --> fail_repeated_clause.cake:10:34
//   10 |     tma.load s <- x[0:+4] on e@0 on e@1
//      |                                  ^^
//
// error[CK0052]: `multicast` is given twice
//   --> fail_repeated_clause.cake:11:39
//   11 |     tma.load s <- x[0:+4] multicast 3 multicast 1
//      |                                       ^^^^^^^^^
//
// error[CK0052]: `cache` is given twice
//   --> fail_repeated_clause.cake:12:45
//   12 |     tma.load s <- x[0:+4] cache evict_first cache evict_last
//      |                                             ^^^^^
//
// error[CK0052]: `else` is given twice
//   --> fail_repeated_clause.cake:13:28
//   13 |     st y[0] <- s[0] else 0 else 1
//      |                            ^^^^
//
// error[CK0052]: `zero` is given twice
//   --> fail_repeated_clause.cake:14:33
//   14 |     wgmma a = s * s.T zero true zero false
//      |                                 ^^^^
//
// error[CK0052]: `scale` is given twice
//   --> fail_repeated_clause.cake:15:31
//   15 |     umma a = s * s scale s, s scale s, s
//      |                               ^^^^^
