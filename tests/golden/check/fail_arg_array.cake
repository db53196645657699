// mode: check
program p target sm_80
arg plan: i32[2, 2], long: i64[1000], right: i32[8]
out y: i32[4]
kernel k { grid (1); role main: warps 1 { once { st y[0] <- right; st y[1] <- right[8] } } }
//--- expected
// error[CK1244]: this arg has 2 dimensions and 8 bytes; it may have 1 and at most 2048
//   --> fail_arg_array.cake:3:11
//    3 | arg plan: i32[2, 2], long: i64[1000], right: i32[8]
//      |           ^^^^^^^^^
//   why: an arg array lies in the kernel's parameters, which have 4 KiB for everything
//
// error[CK1244]: this arg has 1 dimensions and 8000 bytes; it may have 1 and at most 2048
//   --> fail_arg_array.cake:3:28
//    3 | arg plan: i32[2, 2], long: i64[1000], right: i32[8]
//      |                            ^^^^^^^^^
//   why: an arg array lies in the kernel's parameters, which have 4 KiB for everything
//
// error[CK1245]: `right` has 8 values; name one of them
//   --> fail_arg_array.cake:5:61
//    5 | kernel k { grid (1); role main: warps 1 { once { st y[0] <- right; st y[1] <- right[8] } } }
//      |                                                             ^^^^^
//   why: an arg array lies in the kernel's parameters and is read element by element: `plan[i]`
//
// error[CK1024]: element 8 of an array of 8
//   --> fail_arg_array.cake:5:85
//    5 | kernel k { grid (1); role main: warps 1 { once { st y[0] <- right; st y[1] <- right[8] } } }
//      |                                                                                     ^
//   why: indices of arrays are checked when they are constants, before anything runs
