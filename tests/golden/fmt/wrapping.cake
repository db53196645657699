// mode: fmt
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (N)
  role main: warps 1 {
    st y[row + first_offset, column + second_offset, third_offset:+4] <- cvt.bf16([act(gate[r, j], up[r, j]), act(gate[r, j+1], up[r, j+1])])
    let value = alpha_of_the_row * beta_of_the_row + gamma_of_the_row * delta_of_the_row + epsilon_of_row
    let narrow = select(first_condition_of_all && second_condition_of_all, first_value_of_all, second_value_of_all)
    wgmma accumulator += stage_of_the_ring.a@(iteration - 1)[wg*64:+64, :] * stage_of_the_ring.b@(iteration).T zero k == 0
    let aligned =
      1
    call(
      a,
      b
    )
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
//     st y[row + first_offset, column + second_offset, third_offset:+4] <-
//         cvt.bf16([act(gate[r, j], up[r, j]), act(gate[r, j+1], up[r, j+1])])
//     let value = alpha_of_the_row * beta_of_the_row + gamma_of_the_row *
//         delta_of_the_row + epsilon_of_row
//     let narrow =
//         select(first_condition_of_all && second_condition_of_all,
//         first_value_of_all, second_value_of_all)
//     wgmma accumulator += stage_of_the_ring.a@(iteration - 1)[wg*64:+64, :] *
//         stage_of_the_ring.b@(iteration).T zero k == 0
//     let aligned = 1
//     call(a, b)
//   }
// }
