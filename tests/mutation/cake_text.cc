#include "tests/mutation/cake_text.h"

#include <algorithm>

namespace mutation {
namespace {

std::string Number(int value) { return std::to_string(value); }

class Writer {
 public:
  explicit Writer(const Protocol& protocol) : protocol_(protocol) {}

  std::string Write() {
    std::string roles;
    for (size_t a = 0; a < protocol_.agents.size(); ++a) roles += Role(a);
    std::string text =
        "program p target sm_90\nin x: f32[" + Number(loads_ + 1) + ", 32]\nout y: f32[" +
        Number(rows_) + ", 32]" + (stores_ > 0 ? ", z: f32[" + Number(stores_) + ", 32]" : "") +
        "\nkernel k {\n  grid (1)\n  smem s[" + Number(protocol_.slots) + "]: f32[32]\n";
    for (size_t e = 0; e < protocol_.events.size(); ++e) {
      text += "  event e" + std::to_string(e) + "[" + Number(protocol_.events[e].stages) +
              "] count " + Number(protocol_.events[e].count) + "\n";
    }
    for (size_t b = 0; b < protocol_.named.size(); ++b) {
      text +=
          "  barrier b" + std::to_string(b) + " threads " + Number(32 * protocol_.named[b]) + "\n";
    }
    return text + roles + "}\n";
  }

 private:
  // A role without an effect would be refused: each writes a row of its own.
  std::string Role(size_t agent) {
    std::string text = "  role r" + std::to_string(agent) + ": warps 1 {\n    st y[" +
                       Number(rows_++) + ", lane] <- 0.0\n";
    for (const Step& step : protocol_.agents[agent]) text += "    " + Statement(step) + "\n";
    return text + "  }\n";
  }

  static std::string Use(const Step& step) {
    return "e" + Number(step.event) + "@" + Number(step.use);
  }

  // The threads of a warp act as one: what one of them does for all stands behind `sync warp`.
  std::string Statement(const Step& step) {
    const std::string slot = "s@" + Number(step.slot);
    switch (step.op) {
      case Op::kWrite: return "st " + slot + "[lane] <- 1.0";
      case Op::kRead: return "st y[" + Number(rows_++) + ", lane] <- ld " + slot + "[lane]";
      case Op::kFence: return "fence async; sync warp";
      case Op::kLoad:
        return "sync warp; bulk.load " + slot + " <- x[" + Number(loads_++) + ", :] on " +
               Use(step);
      case Op::kExpect: return "expect " + Use(step) + " bytes " + Number(step.bytes);
      case Op::kArrive: return "arrive " + Use(step);
      case Op::kWait: return "wait " + Use(step);
      case Op::kStore:
        return "sync warp; once { bulk.store z[" + Number(stores_++) + ", :] <- " + slot +
               "; tma.commit }";
      case Op::kStoreWait: return "once { tma.wait.read " + Number(step.n) + " }; sync warp";
      case Op::kCopy: return "cp.async " + slot + "[lane] <- x[" + Number(loads_++) + ", lane]";
      case Op::kCopyCommit: return "cp.async.commit";
      case Op::kCopyWait: return "cp.async.wait " + Number(step.n);
      case Op::kSync: return "bar.sync b" + Number(step.event);
      case Op::kNamedArrive: return "bar.arrive b" + Number(step.event);
    }
    return "";
  }

  const Protocol& protocol_;
  int rows_ = 0, loads_ = 0, stores_ = 0;
};

}  // namespace

std::string CakeText(const Protocol& protocol) { return Writer(protocol).Write(); }

std::vector<std::vector<int>> CakeLines(const Protocol& protocol) {
  const std::string text = CakeText(protocol);
  std::vector<std::vector<int>> lines;
  int line = 1;
  size_t begin = 0;
  for (size_t agent = 0; agent < protocol.agents.size(); ++agent) {
    const size_t role = text.find("  role r" + std::to_string(agent) + ":");
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                        text.begin() + static_cast<std::ptrdiff_t>(role), '\n'));
    begin = role;
    lines.emplace_back();
    // Behind the role's own line and its own row.
    for (size_t step = 0; step < protocol.agents[agent].size(); ++step) {
      lines.back().push_back(line + 2 + static_cast<int>(step));
    }
  }
  return lines;
}

}  // namespace mutation
