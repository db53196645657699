// mode: check
program p target sm_80
dim N in 1..=64
in t: i32[N, 2], u: i32[N]
out y: f32[4]
where t[i] in 0..N
where steps(t) in 0..=1
where steps(u)
where distinct(u) in 0..N
kernel k { grid (1); role main: warps 1 { once { st y[0] <- 1.0 } } }
//--- expected
// error[CK1241]: `t` has 2 dimensions, and 1 are indexed
//   --> fail_contents.cake:6:7
//    6 | where t[i] in 0..N
//      |       ^^^^
//   why: a contract speaks of elements: each dimension has an index, or none has
//
// error[CK1242]: `steps(t)`: `t` has 2 dimensions
//   --> fail_contents.cake:7:7
//    7 | where steps(t) in 0..=1
//      |       ^^^^^^^^^^^^^^^^^
//   why: steps are the differences of neighbours in a tensor of one dimension
//
// error[CK1243]: `steps(u)` says nothing by itself
//   --> fail_contents.cake:8:7
//    8 | where steps(u)
//      |       ^^^^^^^^
//   why: `steps(t) in a..b` bounds the differences; `distinct(t)` stands alone
//
// error[CK1243]: `distinct(u)` says nothing by itself
//   --> fail_contents.cake:9:7
//    9 | where distinct(u) in 0..N
//      |       ^^^^^^^^^^^^^^^^^^^
//   why: `steps(t) in a..b` bounds the differences; `distinct(t)` stands alone
