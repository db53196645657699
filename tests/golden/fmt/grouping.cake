// mode: fmt
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (N)
  role main: warps 1 {
    let a = 1; let b = 2;; let c = 3
    let first_long_name = 1; let second_long_name = 2; let third_long_name = 3; let fourth_name = 4
    let first_long_name_x = 1; let second_long_name = 2; let third_long_name = 3; let fourth_name = 4
    if a > 0 { let d = 1; let e = 2 }; if b > 0 { st y[0] <- 1.0 }
    for i in 0..4 { let aaaaaaaaaaaaaaaaaaaaaaaa = 1; let bbbbbbbbbbbbbbbbbbbbbbbbbbbb = 2; let cccccccccccc = 3 }
    for i in 0..4 { for j in 0..4 {
      st y[i] <- 1.0 } }
    if a > 0 {
    } else {
      a = 1 }


    let z = 1

    }
  }
//--- expected
// // mode: fmt
// program p target sm_90a
// dim N in 1..=4096
// in x: f32[N]
// out y: f32[N]
// kernel k {
//   grid (N)
//   role main: warps 1 {
//     let a = 1; let b = 2; let c = 3
//     let first_long_name = 1; let second_long_name = 2; let third_long_name = 3; let fourth_name = 4
//     let first_long_name_x = 1
//     let second_long_name = 2
//     let third_long_name = 3
//     let fourth_name = 4
//     if a > 0 { let d = 1; let e = 2 }; if b > 0 { st y[0] <- 1.0 }
//     for i in 0..4 {
//       let aaaaaaaaaaaaaaaaaaaaaaaa = 1; let bbbbbbbbbbbbbbbbbbbbbbbbbbbb = 2; let cccccccccccc = 3
//     }
//     for i in 0..4 {
//       for j in 0..4 {
//         st y[i] <- 1.0
//       }
//     }
//     if a > 0 {} else {
//       a = 1
//     }
//
//     let z = 1
//   }
// }
