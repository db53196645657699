// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    y[lane] <- 1.0
    let a = 1
  }
}
//--- expected
// error[CK0032]: `<-` needs an instruction at the start of its statement
//   --> fail_store_without_instruction.cake:9:13
//    9 |     y[lane] <- 1.0
//      |             ^^
//   why: how memory is written is part of the program: st, tma.store, cp.async, ..
//   fix (maybe): write `st`
//     9:5: insert `st `
