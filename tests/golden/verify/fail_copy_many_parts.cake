// mode: gates
program p target sm_90
out y: f32[257, 257, 4]
kernel k {
  grid (1)
  smem tile: f32[257, 17, 4]
  role main: warps 1 {
    once { tma.store y[0:+257, 0:+17, :] <- tile; tma.commit; tma.wait.read 0 }
  }
}
//--- expected
// error[CK3125]: the copy of `tile` takes 257 instructions; at most 64 are made of one statement
//   --> fail_copy_many_parts.cake:8:45
//    8 |     once { tma.store y[0:+257, 0:+17, :] <- tile; tma.commit; tma.wait.read 0 }
//      |                                             ^^^^
//   why: an instruction copies one box of at most 256 elements in each dimension
