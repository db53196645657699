// ptx_run PLAN PTX RUNS: one launch of a PTX module under RUNS adversaries. Prints what comes of
// it:
//   done HASH | varies SEED | hang SEED WHY | fault SEED WHY | unknown WHY
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "tests/mutation/ptx/machine.h"

namespace {

ptx::Adversary Choose(int run, int64_t steps) {
  ptx::Adversary a;
  a.seed = static_cast<uint64_t>(run);
  a.steps_expected = steps;
  constexpr ptx::Engines kEngines[] = {ptx::Engines::kEager, ptx::Engines::kLazy,
                                       ptx::Engines::kRandom};
  a.engines = kEngines[run % 3];
  a.depth = run == 0 ? 0 : 1 + run / 3 % 3;
  a.lanes_apart = run % 2 == 1;
  return a;
}

int Tell(const std::map<std::string, ptx::Kernel>& module, const ptx::Plan& plan, int runs) {
  const ptx::Result first = Run(module, plan, Choose(0, 1));
  for (int run = 0; run < runs; ++run) {
    const ptx::Result r = run == 0 ? first : Run(module, plan, Choose(run, first.steps));
    if (r.fate == ptx::Fate::kSteps) {
      std::cout << "unknown more steps than " << r.steps << ": " << r.why << "\n";
      return 0;
    }
    if (r.fate != ptx::Fate::kDone) {
      std::cout << ptx::ToString(r.fate) << " " << run << " " << r.why << "\n";
      return 0;
    }
    if (r.outputs != first.outputs) {
      std::cout << "varies " << run << "\n";
      return 0;
    }
  }
  std::cout << "done " << first.outputs << " steps " << first.steps << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: ptx_run PLAN PTX RUNS\n";
    return 2;
  }
  std::ifstream plan_file(argv[1]), ptx_file(argv[2]);
  std::stringstream text;
  text << ptx_file.rdbuf();
  try {
    return Tell(ptx::ReadModule(text.str()), ptx::ReadPlan(plan_file), std::atoi(argv[3]));
  } catch (const ptx::Unknown& unknown) {
    std::cout << "unknown " << unknown.what() << "\n";
    return 0;
  } catch (const std::exception& bug) {
    std::cout << "unknown exception " << bug.what() << "\n";
    return 0;
  }
}
