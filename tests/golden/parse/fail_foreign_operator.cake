// mode: parse
program p target sm_90a
dim N in 1..=4096
in x: f32[N]
out y: f32[N]
kernel k {
  grid (ceildiv(N, 128))
  role main: warps 4 {
    var i = 0
    i++
    i--
    i /= 2
    i <<= 1
    let a = i ** 2
    let b = i > 0 and i < 4
    if i > 0 or i < -4 { }
    i += 1; let c = not b
  }
}
//--- expected
// error[CK0035]: `++` is no operator of the language
//   --> fail_foreign_operator.cake:10:6
//   10 |     i++
//      |      ^^
//   why: operators are + - * / % & | ^ << >> ~ ! && || == != < <= > >=; assignments are = += -= *=
//   fix (machine): write `+= 1`
//     10:6: `++` -> ` += 1`
//
// error[CK0035]: `--` is no operator of the language
//   --> fail_foreign_operator.cake:11:6
//   11 |     i--
//      |      ^^
//   why: operators are + - * / % & | ^ << >> ~ ! && || == != < <= > >=; assignments are = += -= *=
//   fix (machine): write `-= 1`
//     11:6: `--` -> ` -= 1`
//
// error[CK0035]: `/=` is no operator of the language
//   --> fail_foreign_operator.cake:12:7
//   12 |     i /= 2
//      |       ^^
//   why: operators are + - * / % & | ^ << >> ~ ! && || == != < <= > >=; assignments are = += -= *=
//   fix (manual): write `x = x / e`
//
// error[CK0035]: `<<=` is no operator of the language
//   --> fail_foreign_operator.cake:13:7
//   13 |     i <<= 1
//      |       ^^^
//   why: operators are + - * / % & | ^ << >> ~ ! && || == != < <= > >=; assignments are = += -= *=
//   fix (manual): write `x = x << e`
//
// error[CK0035]: `**` is no operator of the language
//   --> fail_foreign_operator.cake:14:15
//   14 |     let a = i ** 2
//      |               ^^
//   why: operators are + - * / % & | ^ << >> ~ ! && || == != < <= > >=; assignments are = += -= *=
//
// error[CK0035]: `and` is no operator of the language
//   --> fail_foreign_operator.cake:15:19
//   15 |     let b = i > 0 and i < 4
//      |                   ^^^
//   why: operators are + - * / % & | ^ << >> ~ ! && || == != < <= > >=; assignments are = += -= *=
//   fix (machine): write `&&`
//     15:19: `and` -> `&&`
//
// error[CK0035]: `or` is no operator of the language
//   --> fail_foreign_operator.cake:16:14
//   16 |     if i > 0 or i < -4 { }
//      |              ^^
//   why: operators are + - * / % & | ^ << >> ~ ! && || == != < <= > >=; assignments are = += -= *=
//   fix (machine): write `||`
//     16:14: `or` -> `||`
//
// error[CK0035]: `not` is no operator of the language
//   --> fail_foreign_operator.cake:17:21
//   17 |     i += 1; let c = not b
//      |                     ^^^
//   why: operators are + - * / % & | ^ << >> ~ ! && || == != < <= > >=; assignments are = += -= *=
//   fix (maybe): write `!`
//     17:21: `not` -> `!`
