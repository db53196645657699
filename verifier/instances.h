// Which shapes the machine runs: the smallest admitted ones and those around each tile size, so
// that full tiles, ragged tails and empty parts all occur. Chosen from the guard and the constants
// of the program.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/facts/launch.h"
#include "verifier/analysis.h"
#include "verifier/verify.h"

namespace verifier {

struct Shape {
  ir::LaunchValues values;
  compiler::facts::LaunchPlan plan;
  std::string text;   // "N=129, SMS=4"
  bool runs = false;  // some kernel has CTAs
  // And there is something for them to do: no tensor of the caller is empty.
  bool works = false;
  std::vector<std::pair<size_t, int64_t>>
      shows;        // (symbol, value), empty for a launch without CTAs
  double cost = 0;  // threads of all kernels plus bytes of all tensors of the caller
};

struct Selection {
  std::vector<Shape> shapes;  // cheapest first
  int64_t wanted = 0;         // values of dims and args that should occur
  // One dim at multiples of its tile sizes, the others small: run where `shapes` leave statements
  // unexecuted (a main loop that begins behind several tiles). The most work first, which reaches
  // furthest.
  // Made when it is asked for: mostly nothing is left.
  std::function<std::vector<Shape>()> larger;
  // Loops over rings, events and staged buffers as often as they must run, and each smaller number
  // of times, where `shapes` have no such run.
  std::vector<Shape> trips, fewer_trips;
  // Shapes whose contracts admit contents as large as the tiles that control compares them with,
  // one for each tensor of contents.
  std::vector<Shape> contents;
  // Larger ones, for loops whose number of trips contents decide; run without data.
  std::vector<Shape> ragged;
  // A small shape in which one symbol has the given value, or the next that its divisor admits;
  // nothing where the guard admits none.
  std::function<std::optional<Shape>(size_t symbol, int64_t value)> varied;
  // A shape on several SMs; nothing where the program does not ask for their number.
  std::function<std::optional<Shape>(const Shape& shape)> on_several;
};

Selection SelectShapes(const ir::Program& program, const compiler::facts::Facts& facts,
                       const std::vector<KernelAnalysis>& kernels, const Policy& policy);

}  // namespace verifier
