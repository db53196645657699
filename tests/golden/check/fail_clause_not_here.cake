// mode: check
program p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: f32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    st y[cta, 0] <- x[0, 0] else 0.0
  }
}
//--- expected
// error[CK1006]: `x` is memory, not a value
//   --> fail_clause_not_here.cake:10:21
//   10 |     st y[cta, 0] <- x[0, 0] else 0.0
//      |                     ^^^^^^^
//   why: memory is read by `ld`, so that every access is visible in the source
//   fix (machine): load it
//     10:21: insert `ld `
//
// error[CK1072]: `st` takes no `else`
//   --> fail_clause_not_here.cake:10:34
//   10 |     st y[cta, 0] <- x[0, 0] else 0.0
//      |                                  ^^^
//   why: the clauses of a copy belong to copies that run beside the thread
