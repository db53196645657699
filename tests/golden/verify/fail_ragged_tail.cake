// mode: gates
program p target sm_80
dim N in 1..=1000000
in a: f32[N], b: f32[N]
out c: f32[N]
kernel add {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    let i = cta*128 + thread
    st c[i] <- (ld a[i]) + (ld b[i])
  }
}
//--- expected
// error[CK2001]: `c[i]`: index 1 of dimension 0 is outside 0..1
//   --> fail_ragged_tail.cake:10:8
//   10 |     st c[i] <- (ld a[i]) + (ld b[i])
//      |        ^^^^
//   at: role main, cta 0, warp 0, lane 1, N=1
//   why: every access must be in bounds for every lane that executes it; `ld` may say `else` instead
//   fix (machine): store only where `i < N`
//     10:5: insert `if i < N { `
//     10:37: insert ` }`
//
// error[CK2001]: `a[i]`: index 1 of dimension 0 is outside 0..1
//   --> fail_ragged_tail.cake:10:20
//   10 |     st c[i] <- (ld a[i]) + (ld b[i])
//      |                    ^^^^
//   at: role main, cta 0, warp 0, lane 1, N=1
//   why: every access must be in bounds for every lane that executes it; `ld` may say `else` instead
//   fix (manual): load 0 where the access is out of bounds
//
// error[CK2001]: `b[i]`: index 1 of dimension 0 is outside 0..1
//   --> fail_ragged_tail.cake:10:32
//   10 |     st c[i] <- (ld a[i]) + (ld b[i])
//      |                                ^^^^
//   at: role main, cta 0, warp 0, lane 1, N=1
//   why: every access must be in bounds for every lane that executes it; `ld` may say `else` instead
//   fix (manual): load 0 where the access is out of bounds
// bounds        refuted        0 of 3 accesses and indices proved, for every shape that the guard admits; shown wrong at N=1
// alignment     not applicable there are no vector accesses
// overflow      proved         2 of 2 index operations proved, for every shape that the guard admits
// races         bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`c` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   bounded        4 shapes run on the machine, all CTAs, one schedule; 4 of 8 boundary values of dims and args shown; 4 not run
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
