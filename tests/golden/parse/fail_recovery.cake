// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let a = ld x[lane
    st y[lane] <- a +
    for i in 0.4 { sycn warp; st y[i] <- 0.0 }
    let b = 1; let = 2; let c = 3; st y[c] 1.0
    if a > 0 { let d = 1 } els { let e = 2 }
    let ok = 1
  }
}
//--- expected
// error[CK0044]: `[` is not closed
//   --> fail_recovery.cake:9:17
//    9 |     let a = ld x[lane
//      |                 ^
//
// error[CK0013]: expected an expression before the end of the line
//   --> fail_recovery.cake:10:22
//   10 |     st y[lane] <- a +
//      |                      ^
//   why: a line break ends a statement, except inside ( ) and [ ] and after an operator or `,`
//
// error[CK0010]: expected `..`, found `{`
//   --> fail_recovery.cake:11:18
//   11 |     for i in 0.4 { sycn warp; st y[i] <- 0.0 }
//      |                  ^
//
// error[CK0020]: `sycn` begins no statement and names no instruction
//   --> fail_recovery.cake:11:20
//   11 |     for i in 0.4 { sycn warp; st y[i] <- 0.0 }
//      |                    ^^^^
//   fix (maybe): write `sync`
//     11:20: `sycn` -> `sync`
//
// error[CK0010]: expected `<-`, found `1.0`
//   --> fail_recovery.cake:12:44
//   12 |     let b = 1; let = 2; let c = 3; st y[c] 1.0
//      |                                            ^^^
//
// error[CK0016]: expected the end of the statement, found `els`
//   --> fail_recovery.cake:13:28
//   13 |     if a > 0 { let d = 1 } els { let e = 2 }
//      |                            ^^^
//   why: statements are separated by a line break or `;`
//   fix (maybe): write `else`
//     13:28: `els` -> `else`
