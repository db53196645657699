// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let a = 3
    if a<-1 { st y[0] <- 1.0 }
    let b = a<-1
    while (a<-b) { }
  }
}
//--- expected
// error[CK0030]: `<-` stands inside an expression
//   --> fail_arrow_in_expression.cake:10:9
//   10 |     if a<-1 { st y[0] <- 1.0 }
//      |         ^^
//   why: `<-` is one token: it stores into a view
//   fix (machine): write `< -`
//     10:9: `<-` -> ` < -`
//
// error[CK0030]: `<-` stands inside an expression
//   --> fail_arrow_in_expression.cake:11:14
//   11 |     let b = a<-1
//      |              ^^
//   why: `<-` is one token: it stores into a view
//   fix (machine): write `< -`
//     11:14: `<-` -> ` < -`
//
// error[CK0030]: `<-` stands inside an expression
//   --> fail_arrow_in_expression.cake:12:13
//   12 |     while (a<-b) { }
//      |             ^^
//   why: `<-` is one token: it stores into a view
//   fix (machine): write `< -`
//     12:13: `<-` -> ` < -`
