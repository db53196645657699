// One schedule decides: what the canonical run accepts, every other schedule accepts with the same
// bytes, and what it rejects none accepts (confluence, and its counterexamples).
#include <fstream>
#include <random>
#include <sstream>

#include "tests/unit/compiler_machine/hand_program.h"
#include "tests/unit/compiler_machine/source_harness.h"

namespace compiler::machine {
namespace {

using testing::IsEmpty;

struct Case {
  std::string name, file;
  std::map<std::string, int64_t> named;
};

class Corpus : public testing::TestWithParam<Case> {};

TEST_P(Corpus, EveryScheduleGivesTheSameBytes) {
  const Case& c = GetParam();
  std::ifstream file("tests/corpus/" + c.file);
  ASSERT_TRUE(file) << c.file;
  std::stringstream text;
  text << file.rdbuf();
  const std::unique_ptr<ir::Program> program = Elaborated(text.str());
  ASSERT_NE(program, nullptr);
  // 0x3c3c.. are small positive numbers in f32 and bf16.
  Inputs inputs;
  for (const ir::Tensor& tensor : program->tensors) {
    if (tensor.direction != ir::Direction::kIn) continue;
    inputs[tensor.name] = std::vector<std::byte>(size_t{1} << 20, std::byte{0x3c});
  }
  const Ran canonical = RunProgram(*program, c.named, inputs);
  ASSERT_THAT(canonical.Codes(), IsEmpty()) << canonical.text;
  EXPECT_EQ(canonical.result.outcome, Outcome::kFinished);
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Options options;
    options.schedule_seed = seed;
    const Ran ran = RunProgram(*program, c.named, inputs, options);
    EXPECT_THAT(ran.Codes(), IsEmpty()) << seed << ran.text;
    EXPECT_EQ(ran.memory, canonical.memory) << seed;
    EXPECT_EQ(ran.result.lane_statements, canonical.result.lane_statements) << seed;
    EXPECT_EQ(ran.result.written, canonical.result.written) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Corpus,
    testing::Values(Case{"vector_add", "vector_add/vector_add.cake", {{"N", 5003}}},
                    Case{"rmsnorm", "rmsnorm/rmsnorm.cake", {{"M", 3}, {"N", 264}, {"eps", 0}}},
                    Case{"rmsnorm_odd", "rmsnorm/rmsnorm.cake", {{"M", 2}, {"N", 77}, {"eps", 0}}},
                    Case{"row_max", "row_max/row_max.cake", {{"M", 3}, {"N", 224}}}),
    [](const auto& info) { return info.param.name; });

// What one role does, before it becomes statements.
struct Action {
  enum class Kind { kSync, kArrive, kStore, kLoad } kind;
  int64_t index;  // of the barrier or the cell
};

// Three roles hand cells over through two barriers of 64 threads, each time one of them to another;
// then up to two actions are dropped, doubled or swapped with their neighbour.
std::vector<std::vector<Action>> RandomProtocol(std::mt19937& random, bool mutate) {
  using Kind = Action::Kind;
  std::vector<std::vector<Action>> roles(3);
  const size_t hand_overs = 1 + random() % 5;
  for (size_t i = 0; i < hand_overs; ++i) {
    const size_t from = random() % 3, to = (from + 1 + random() % 2) % 3;
    const auto barrier = static_cast<int64_t>(random() % 2),
               cell = static_cast<int64_t>(random() % 2);
    roles[from].push_back({Kind::kStore, cell});
    roles[from].push_back({random() % 2 == 0 ? Kind::kArrive : Kind::kSync, barrier});
    roles[to].push_back({Kind::kSync, barrier});
    roles[to].push_back({Kind::kLoad, cell});
  }
  const size_t mutations = mutate ? random() % 3 : 0;
  for (size_t m = 0; m < mutations; ++m) {
    std::vector<Action>& role = roles[random() % 3];
    if (role.size() < 2) continue;
    const auto at = static_cast<ptrdiff_t>(random() % (role.size() - 1));
    switch (random() % 3) {
      case 0: role.erase(role.begin() + at); break;
      case 1: role.insert(role.begin() + at, role[static_cast<size_t>(at)]); break;
      default: std::swap(role[static_cast<size_t>(at)], role[static_cast<size_t>(at + 1)]);
    }
  }
  return roles;
}

ir::Program Build(const std::vector<std::vector<Action>>& roles) {
  Hand h;
  h.k().grid = {h.Int(1)};
  const ir::TensorId y = h.Tensor("y", ir::Direction::kOut, h.Int(1024));
  const ir::SharedId b = h.Shared("b", 64);
  const ir::BarrierId barriers[] = {h.Barrier("p", 64), h.Barrier("q", 64)};
  int64_t slot = 0;
  for (size_t r = 0; r < roles.size(); ++r) {
    Ids body;
    for (const Action& action : roles[r]) {
      const ir::ExprId cell = h.Op("+", {h.Int(action.index * 32), h.Lane()});
      switch (action.kind) {
        case Action::Kind::kSync: body.push_back(h.Bar("bar.sync", barriers[action.index])); break;
        case Action::Kind::kArrive:
          body.push_back(h.Bar("bar.arrive", barriers[action.index]));
          break;
        case Action::Kind::kStore:
          body.push_back(h.Store(h.View(b, cell), h.F32(static_cast<double>(++slot))));
          break;
        case Action::Kind::kLoad:
          body.push_back(h.Store(h.View(y, h.Op("+", {h.Int(32 * ++slot), h.Lane()})),
                                 h.Load(h.View(b, cell))));
          break;
      }
    }
    h.Role("r" + std::to_string(r), 1, body);
  }
  return std::move(h.p);
}

TEST(Protocols, TheCanonicalVerdictIsThatOfEverySchedule) {
  std::mt19937 random(20240607);
  int accepted = 0, rejected = 0;
  for (int i = 0; i < 400; ++i) {
    const ir::Program program = Build(RandomProtocol(random, i % 4 != 0));
    const Ran canonical = RunProgram(program, {});
    const bool accept = canonical.result.outcome == Outcome::kFinished;
    EXPECT_EQ(accept, canonical.Codes().empty());
    accept ? ++accepted : ++rejected;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
      Options options;
      options.schedule_seed = seed;
      const Ran ran = RunProgram(program, {}, {}, options);
      ASSERT_EQ(ran.result.outcome == Outcome::kFinished, accept)
          << i << " seed " << seed << program.source << canonical.text << ran.text;
      if (accept) {
        ASSERT_EQ(ran.memory, canonical.memory) << i << " seed " << seed;
      }
    }
  }
  // The sample says something about both sides.
  EXPECT_GT(accepted, 40);
  EXPECT_GT(rejected, 150);
}

}  // namespace
}  // namespace compiler::machine
