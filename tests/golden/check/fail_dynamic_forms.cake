// mode: elaborate
program p target sm_80
dim N in 0..=64
in n: i32[1]
out y: f32[N, 32]
dynamic iter whole() -> (i32) { for t in 0..N { yield t } }
dynamic iter part(M: const i32) -> (i32) { for t in cta..M step ctas { yield t } }
kernel k {
  grid (2)
  dynamic iter read() -> (i32) { for t in cta..(ld n[0]) step ctas { yield t } }
  dynamic iter wide() -> (i64) { for t in cta..cvt.i64(N) step ctas { yield t } }
  dynamic iter rows() -> (i32) { for t in cta..N step ctas { yield t } }
  role math: warps 1 {
    for t in whole() { st y[t, lane] <- 1.0 }
    for t in part(8) { st y[t, lane] <- 1.0 }
    for t in read() { st y[t, lane] <- 1.0 }
    for t in wide() { st y[t, lane] <- 1.0 }
    for t in rows() { st y[t, lane] <- 1.0 }
    for t in rows() { st y[t, lane] <- 1.0 }
  }
}
//--- expected
// error[CK1247]: the body of `dynamic iter whole` is not one loop `for .. in cta .. e step ctas`
//   --> fail_dynamic_forms.cake:6:14
//    6 | dynamic iter whole() -> (i32) { for t in 0..N { yield t } }
//      |              ^^^^^
//   why: a ticket stands where the CTA's number stood: marked `dynamic` or not, the CTAs take the same values in all, and tickets decide who takes which
//   fix (manual): write `iter whole` for a fixed schedule, or `for t in cta .. n step ctas` as its loop
//
// error[CK1248]: `dynamic iter part` has parameters
//   --> fail_dynamic_forms.cake:7:14
//    7 | dynamic iter part(M: const i32) -> (i32) { for t in cta..M step ctas { yield t } }
//      |              ^^^^
//   why: the roles of a CTA work on the same tickets, so the iter is the same for all of them
//
// error[CK1250]: the end of `dynamic iter read` is no `i32` known at launch
//   --> fail_dynamic_forms.cake:10:48
//   10 |   dynamic iter read() -> (i32) { for t in cta..(ld n[0]) step ctas { yield t } }
//      |                                                ^^^^^^^^^
//   why: tickets are numbered across the whole grid, so every CTA must count to the same number
//
// error[CK1250]: the end of `dynamic iter wide` is no `i32` known at launch
//   --> fail_dynamic_forms.cake:11:48
//   11 |   dynamic iter wide() -> (i64) { for t in cta..cvt.i64(N) step ctas { yield t } }
//      |                                                ^^^^^^^^^^
//   why: tickets are numbered across the whole grid, so every CTA must count to the same number
//
// error[CK1249]: role `math` uses `dynamic iter rows` twice
//   --> fail_dynamic_forms.cake:19:14
//   19 |     for t in rows() { st y[t, lane] <- 1.0 }
//      |              ^^^^^^
//   12 |   dynamic iter rows() -> (i32) { for t in cta..N step ctas { yield t } }
//      |                ---- declared here
//   why: a ticket is taken once: the first loop leaves none for the second
