// mode: check
program p target sm_80
dim N in 1..=8
//--- expected
// error[CK1059]: the program has no kernel
//   --> fail_no_kernel.cake:2:9
//    2 | program p target sm_80
//      |         ^
//   why: a program is one or more launches
