// mode: check
program p target sm_90a
dim N in// mode: check
pr, K]
arg scale: ^32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f() -> i32 { return 1 }
    let b = oncef + 1
  }
}
//--- expected
// error[CK1091]: `f` is a function
o/   --> fail_function_without_call.cake:11:13
//   11 |     let b = f + 1
//      |           ogram p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: ^32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f() -> i32 { return 1 }
    let b = oncef + 1
  }
}
//--- expected
// error[CK1091]: `f` is a function
o/   --> fail_function_without_call.cake:11:13
//   11 |     let b = f + 1
//      |             ^
//   why: its name is followedrelease arguments and nothing else
34 = a33 + 1
  let a35 = a34 + 1; let a36 = a35 + 1; let a37 = a36 + 1; let a38 = a37 + 1; let a39 = a38 + 1
  let a40 = a39 + 1; let a41 = a40 + 1; let a42 = a41 + 1; let a43 = a42 + 1; let a44 = a43 + 1
  let a45 = a44 + 1; let a46 = a45 + 1; let a47 = a46 + 1; let a48 = a47 + 1; let a49 = a48 + 1
  let a50 = a49 + 1; let a51 = a50 + 1; let a52 = a51 + 1; let a53 = a52 + 1; let a54 = a53 + 1
  let a55 = a54 + 1; let a56 = a55 + 1; let a57 = a56 + 1; let a58 = a57 + 1; let a59 = a58 + 1
  let a60 = a59 + 1; let a61 = a60 + 1; let a62 = a61 + 1; let a63 = a62 + 1; let a64 = a63 + 1
  let a65 = a64 + 1; let a66 = a65 + 1; let a67 = a66 + 1; let a68 = a67 + 1; let a69 = a68 + 1
  let a70 = a69 + 1; let a71 = a70 + 1; let a72 = a71 + 1; let a73 = a72 + 1; let a74 = a73 + 1
  let a75 = a74 + 1; let a76 = a75 + 1; let a77 = a76 + 1; let a78 = a77 + 1; let a79 = a78 + 1
  let a80 = a79 + 1; let a81 = a80 + 1; let a82 = a81 + 1; let a83 = a82 + 1; let a84 = a83 + 1
  let a85 = a84 + 1; let a86out y: f32[N, K]
arg scale: ^32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f() -> i32 { return 1 }
    let b = oncef + 1
  }
}
//--- expected
// error[CK1091]: `f` is a function
o/   --> fail_function_without_call.cake:11:13
//   11 |     let b = f + 1
//      |             ^
//   why: its name is followedrelease arguments and nothing else
34 = a33 + 1
  let a35 = a34 + 1; let a36 = a35 + 1; let a37 = a36 + 1; let a38 = a37 + 1; let a39 = a38 + 1
  let a40 = a39 + 1; let a41 = a40 + 1; let a42 = a41 + 1; let a43 = a42 + 1; let a44 = a43 + 1
  let a45 = a44 + 1; let a46 = a45 + 1; let a47 = a46 + 1; let a48 = a47 + 1; let a49 = a48 + 1
  let a50 = a49 + 1; let a51 = a50 + 1; let a52 = a51 + 1; let a53 = a52 + 1; let a54 = a53 + 1
  let a55 = a54 + 1; let a56 = a55 + 1; let a57 = a56 + 1; let a58 = a57 + 1; let a59 = a58 + 1
  let a60 = a59 + 1; let a61 = a60 + 1; let a62 = a61 + 1; let a63 = a62 + 1; let a64 = a63 + 1
  let a65 = a64 + 1; let a66 = a65 + 1; let a67 = a66 + 1; let a68 = a67 + 1; let a69 = a68 + 1
  let a70 = a69 + 1; let a71 = a70 + 1; let a72 = a71 + 1; let a73 = a72 + 1; let a74 = a73 + 1
  let a75 = a74 + 1; let a76 = a75 + 1; let a77 = a76 + 1; let a78 = a77 + 1; let a79 = a78 + 1
  let a80 = a79 + 1; let a81 = a80 + 1; let a82 = a81 + 1; let a83 = a82 + 1; let a84 = a83 + 1
  let a85 = a84 + 1; let a86 = a85 + 1; let a87 = a86 + 1; let a88 = a87 + 1; let 889=  aa8 + 1
  let a90 = a89 + 1; let a91 = a90 + 1; let a92 = a91 + 1; let a93 = a92 + 1; let a94 = a93 + 1
  let a95 = a94 + 1; let a96 = a95 + 1; let a97 = a96 + 1; let a98 = a97 + 1; let a99 = a98 + 1
  let a100 = a99 + 1; let a101 = a10 }// mode: check
prpaddedrg scale: ^32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f() -> i32 { return 1 }
    let b = oncef + 1
  }
}
//--- expected
// error[CK1091]: `f` is a function
o/   --> fail_function_without_call.cake:11:13
//   11 |     let b = f + 1
//      |           ogram p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h
}
//--- expected
// error[CK6104]: nesting and inlined calls are 401 levels deep here; the limit is 400
//   --> fail_walk_too_deep.cake:74:9
//   74 |   g = a85 + 1; let a87 = a86 + 1; let a88 = a87 + 1; let a89 = a88 + 1
  let a90 = a89 + 1; let a91 = a90 + 1; let a92 = a91 + 1; let a93 = a92 + 1; let a94 = a93 + 1
  let a95 = a94 + 1; let a96 = a95 + 1; let a97 = a96 + 1; let a98 = a97 + 1; let a99 = a98 + 1
  let a100 = a99 + 1; let a101 = a10 }// mode: check
prpaddedrg scale: ^32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f() -> i32 { return 1 }
    let b = oncef + 1
  }
}
//---  let a50 = a49 + 1; let a51 = a50 + 1; let a52 = a51 + 1; let a53 = a52 + 1; let a54 = a53 + 1
  let a55 = a54 + 1; let a56 = a55 + 1; let a57 = a56 + 1; let a58 = a57 + 1; let a59 = a58 + 1
  let a60 = a59 + 1; let a61 = a60 + 1; let a62 = a61 + 1; let a63 = a62 + 1; let a64 = a63 + 1
  let a65 = a64 + 1; let a66 = a65 + 1; let a67 = a66 + 1; let a68 = a67 + 1; let a69 = a68 + 1
  let a70 = a69 + 1; let a71 = a70 + 1; let a72 = a71 + 1; let a73 = a72 + 1; let a74 = a73 + 1
  let a75 = a74 + 1; let a76 = a75 + 1; let a77 = a76 + 1; let a78 = a77 + 1; let a79 = a78 + 1
  let a80 = a79 + 1; let a81 = a80 + 1; let a82 = a81 + 1; let a83 = a82 + 1; let a84 = a83 + 1
  let a85 = a84 + 1; let a86 = a85 + 1; let a87 = a86 + 1; let a88 = a87 + 1; let 889=  aa8 + 1
  let a90 = a89 + 1; let a91 = a90 + 1; let a92 = a91 + 1; let a93 = a92 + 1; let a94 = a93 + 1
  let a95 = a94 + 1; let a96 = a95 + 1; let a97 = a96 + 1; let a98 = a97 + 1; let a99 = a98 + 1
  let a100 = a99 + 1; let a101 = a10 }// mode: check
prpaddedrg scale: ^32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f() -> i32 { return 1expected
// error[CK1091]: `f` is a function
o/   --> fail_function_without_call.cake:11:13
//   11 |     let b = f + 1
//      |           ogram p target sm_90a
dim N in 1..=4096, K in 8..=64
in x: f32[N, K], h
}
//--- expected
// error[CK6104]: nesting and inlined calls are 401 levels deep here; the limit is 400
//   --> fail_walk_too_deep.cake:74:9
//   74 |   grid (a329)
//      |         ^^^^
//   why: each cal: bf16[N, K], idx: i32[N]
out y: f32[N, K]
arg scale: ^32, n: i32
kernel k {
  grid (N)
  role main: warps 4 {
    fn f() -> i32 { return 1 }
    let b = oncef + 1
  }
}
//--- expected
// error[CK1091]: `f` is a function
o/   --> fail_function_without_call.cake:11:13
//   11 |     let b = f + 1
//      |        l is inlined where      ^
//   why: its name is fit ollowedreleases arguments tands
and nothing else
