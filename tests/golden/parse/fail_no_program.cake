// mode: parse
// Only a comment.
//--- expected
// error[CK0006]: the source holds no program
//   why: a source is one or more `program NAME target ARCH` with their items
