// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    st.evict_fist y[lane] <- 1.0
    st.volatile.volatile y[lane] <- 1.0
    wait.relaxed.cluster e@0
    tma.reduce y[0:+128] <- x
    red.add(y[0], 1.0)
    red.add.relaxed.gpu(y[0], 1.0)
  }
}
//--- expected
// error[CK0023]: `evict_fist` is no modifier of `st`
//   --> fail_modifiers.cake:9:8
//    9 |     st.evict_fist y[lane] <- 1.0
//      |        ^^^^^^^^^^
//   fix (maybe): write `st.evict_first`
//     9:5: `st.evict_fist` -> `st.evict_first`
//
// error[CK0025]: modifier `volatile` of `st` is repeated or out of order
//   --> fail_modifiers.cake:10:17
//   10 |     st.volatile.volatile y[lane] <- 1.0
//      |                 ^^^^^^^^
//   why: one instruction has one spelling: its modifiers come in the order of its manual page
//
// error[CK0025]: modifier `cluster` of `wait` is repeated or out of order
//   --> fail_modifiers.cake:11:18
//   11 |     wait.relaxed.cluster e@0
//      |                  ^^^^^^^
//   why: one instruction has one spelling: its modifiers come in the order of its manual page
//
// error[CK0024]: `tma.reduce` needs a modifier such as `.add`
//   --> fail_modifiers.cake:12:5
//   12 |     tma.reduce y[0:+128] <- x
//      |     ^^^^^^^^^^
//
// error[CK0024]: `red.add` needs a modifier such as `.relaxed`
//   --> fail_modifiers.cake:13:5
//   13 |     red.add(y[0], 1.0)
//      |     ^^^^^^^
