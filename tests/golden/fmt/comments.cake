// mode: fmt
// Above the program.

// Still above.
program p target sm_90a // behind

dim N in 1..=4 // a dim
// own line


in x: f32[N],   // inside a statement
   z: f32[N]
kernel k { // opens
  // first in the kernel

  grid (N)   // grid
  role main: warps 1 { // this comment is so long that it has no room behind the brace that opens the role
    let a = 1; let b = 2 // two statements
    // between
    if a > 0 { // opens if
      a = 1
      // last in the block
    } // closes if
    else { // opens else
    } // closes else
    let value_that_is_long = a + b + a + b + a + b + a + b + a + b + a + b // this has no room behind
    // end of the role
  }
  // end of the kernel
}
// end of the file
//--- expected
// // mode: fmt
// // Above the program.
//
// // Still above.
// program p target sm_90a  // behind
//
// dim N in 1..=4  // a dim
// // own line
//
// // inside a statement
// in x: f32[N], z: f32[N]
// kernel k {  // opens
//   // first in the kernel
//
//   grid (N)  // grid
//   role main: warps 1 {
//     // this comment is so long that it has no room behind the brace that opens the role
//     let a = 1; let b = 2  // two statements
//     // between
//     // closes if
//     if a > 0 {  // opens if
//       a = 1
//       // last in the block
//     } else {  // opens else
//     }  // closes else
//     // this has no room behind
//     let value_that_is_long = a + b + a + b + a + b + a + b + a + b + a + b
//     // end of the role
//   }
//   // end of the kernel
// }
// // end of the file
