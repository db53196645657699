// mode: check
program p target sm_80
out y: f32[32]
kernel run {
  grid (1)
  role a: warps 1 { grid.sync }
  role b: warps 1 { st y[lane] <- 0.0 }
}
//--- expected
// error[CK1224]: `grid.sync` in kernel `run`, which has several roles
//   --> fail_grid_sync_roles.cake:6:21
//    6 |   role a: warps 1 { grid.sync }
//      |                     ^^^^^^^^^
//   why: every thread of the grid has to reach it, and roles run different code
