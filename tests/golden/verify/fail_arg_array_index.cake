// mode: gates
program p target sm_80
arg plan: i32[8]
out y: i32[16]
kernel k { grid (16); role main: warps 1 { once { st y[cta] <- plan[cta] } } }
//--- expected
// error[CK2007]: element 8 of an array of 8 does not exist
//   --> fail_arg_array_index.cake:5:51
//    5 | kernel k { grid (16); role main: warps 1 { once { st y[cta] <- plan[cta] } } }
//      |                                                   ^^^^^^^^^^^^^^^^^^^^^^
//   at: role main, cta 8, warp 0, lane 0
//   why: an array in registers has no addresses, and beyond an arg array lie other parameters: an index past the end names nothing
//   fix (manual): bound the loop by the length of the array
// bounds        refuted        1 of 2 accesses and indices proved, for every shape that the guard admits; shown wrong at the only shape
// alignment     not applicable there are no vector accesses
// overflow      not applicable there are no index operations
// races         explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// global races  proved         writes of different CTAs are disjoint for every shape that the guard admits (`y` disjoint)
// deadlock      not applicable nothing waits
// interleavings unknown        after what was found nothing is said of other schedules
// definedness   explored       4 shapes run on the machine, all CTAs, one schedule; 4 of 4 boundary values of dims and args shown
// convergence   not applicable there are no collectives
// resources     proved         1 of 1 limits of the device proved, for every shape that the guard admits
// assumptions   assumed        tensors do not overlap (the launcher checks); tensors begin at 16-byte boundaries (the launcher checks)
