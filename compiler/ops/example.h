// Examples of the table: whole programs, most of them one statement inside the same frame.
#pragma once

#include <string_view>

namespace compiler::ops {

// A program with the declarations `items` and, in its only role of 4 warps, `body` after
// `let i = cta*128 + thread`. The text lives as long as the process.
std::string_view Example(std::string_view items, std::string_view body);

// One line that maps elements: `st y[i] <- <expression of the named inputs>` for i < N.
std::string_view ExampleOfExpression(std::string_view items, std::string_view expression);

// A program of one warp: `items` of the program, `kernel_items` and `body`, each may be empty.
std::string_view ExampleOfWarp(std::string_view items, std::string_view body,
                               std::string_view kernel_items = "",
                               std::string_view target = "sm_80");

// The same example for another target.
std::string_view ExampleFor(std::string_view target, std::string_view example);

}  // namespace compiler::ops
