#include "tests/mutation/ptx/module.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>

namespace ptx {
namespace {

struct Named {
  std::string_view word;
  Type type;
  int bytes;
};
constexpr Named kTypes[] = {
    {"b8", Type::kB8, 1},         {"b16", Type::kB16, 2},     {"b32", Type::kB32, 4},
    {"b64", Type::kB64, 8},       {"u8", Type::kU8, 1},       {"u16", Type::kU16, 2},
    {"u32", Type::kU32, 4},       {"u64", Type::kU64, 8},     {"s8", Type::kS8, 1},
    {"s16", Type::kS16, 2},       {"s32", Type::kS32, 4},     {"s64", Type::kS64, 8},
    {"f16", Type::kF16, 2},       {"f16x2", Type::kF16x2, 4}, {"bf16", Type::kBf16, 2},
    {"bf16x2", Type::kBf16x2, 4}, {"f32", Type::kF32, 4},     {"f64", Type::kF64, 8},
    {"pred", Type::kPred, 1}};

std::string Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first));
}

std::vector<std::string> Split(std::string_view text, char by) {
  std::vector<std::string> out;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == by && depth == 0) {
      out.push_back(Trim(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!Trim(part).empty()) out.push_back(Trim(part));
  return out;
}

uint64_t Number(const std::string& text) {
  if (text.starts_with("0f") || text.starts_with("0F")) {
    return std::strtoull(text.c_str() + 2, nullptr, 16);
  }
  if (text.starts_with("0d") || text.starts_with("0D")) {
    return std::strtoull(text.c_str() + 2, nullptr, 16);
  }
  if (text.find('.') != std::string::npos) return 0;  // a fraction of a cache policy
  char* end = nullptr;
  const uint64_t n = text[0] == '-' ? static_cast<uint64_t>(std::strtoll(text.c_str(), &end, 0))
                                    : std::strtoull(text.c_str(), &end, 0);
  if (*end != 0 && std::strcmp(end, "U") != 0) throw Unknown("number " + text);
  return n;
}

bool IsNumber(const std::string& text) {
  const size_t at = text[0] == '-' ? 1 : 0;
  return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
}

// One kernel while it is read.
class Reader {
 public:
  explicit Reader(Kernel& kernel) : kernel_(kernel) {}

  void AddParam(const std::string& line) {
    // .param .align 128 .b8 NAME[128]  or  .param .u64 NAME
    std::istringstream words(line);
    std::string word, name;
    Param param;
    int align = 0, unit = 0;
    while (words >> word) {
      if (word == ".align")
        words >> align;
      else if (word[0] == '.' && TypeOf(word.substr(1)) != Type::kNone)
        unit = BytesOf(TypeOf(word.substr(1)));
      else if (word[0] != '.')
        name = word;
    }
    const size_t bracket = name.find('[');
    param.bytes = unit;
    if (bracket != std::string::npos) {
      param.bytes = unit * std::atoi(name.c_str() + bracket + 1);
      name.resize(bracket);
    }
    align = std::max(align, unit);
    offset_ = (offset_ + align - 1) / align * align;
    param.offset = offset_;
    offset_ += param.bytes;
    symbols_[name] = kParamBegin + static_cast<uint64_t>(param.offset);
    kernel_.params.push_back(param);
  }

  void AddLabel(const std::string& name) { labels_[name] = static_cast<int>(kernel_.code.size()); }

  void AddInstruction(const std::string& line) {
    Instruction& i = kernel_.code.emplace_back();
    i.text = line;
    std::string rest = line;
    if (rest[0] == '@') {
      const size_t space = rest.find_first_of(" \t");
      i.unless = rest[1] == '!';
      i.predicate = Register(rest.substr(i.unless ? 2 : 1, space - (i.unless ? 2 : 1)));
      rest = Trim(rest.substr(space));
    }
    const size_t space = rest.find_first_of(" \t");
    i.words = Split(rest.substr(0, space), '.');
    for (std::string& word : i.words) {
      while (!word.empty() && word[0] == ':') word.erase(0, 1);
      if (TypeOf(word) != Type::kNone) i.types.push_back(TypeOf(word));
    }
    if (space == std::string::npos) return;
    const std::string args = Trim(rest.substr(space));
    if (i.op() == "bra") {
      branches_.emplace_back(kernel_.code.size() - 1, args);
      return;
    }
    for (const std::string& arg : Split(args, ',')) i.args.push_back(Read(arg));
  }

  void End() {
    for (const auto& [at, label] : branches_) {
      const auto found = labels_.find(label);
      if (found == labels_.end()) throw Unknown("label " + label);
      kernel_.code[at].target = found->second;
    }
    kernel_.registers = static_cast<int>(registers_.size());
  }

 private:
  int Register(const std::string& name) {
    return registers_.emplace(name, static_cast<int>(registers_.size())).first->second;
  }

  Operand Read(const std::string& text) {
    Operand o;
    if (text == "_") return o;
    if (text[0] == '{') {
      o.kind = Operand::Kind::kVector;
      for (const std::string& part : Split(text.substr(1, text.size() - 2), ',')) {
        o.parts.push_back(Read(part));
      }
      return o;
    }
    if (text[0] == '[') return Memory(text.substr(1, text.size() - 2));
    if (IsNumber(text)) {
      o.kind = Operand::Kind::kNumber;
      o.number = Number(text);
      return o;
    }
    const std::string_view name(text);
    for (const std::string_view special :
         {"%tid", "%ctaid", "%nctaid", "%ntid", "%clusterid", "%nclusterid", "%cluster_", "%laneid",
          "%clock", "%globaltimer", "%smid"}) {
      if (!name.starts_with(special)) continue;
      o.kind = Operand::Kind::kSpecial;
      o.special = text.substr(1);
      return o;
    }
    if (const auto found = symbols_.find(text); found != symbols_.end()) {
      o.kind = Operand::Kind::kNumber;
      o.number = found->second;
      return o;
    }
    if (text == "cake_smem") {
      o.kind = Operand::Kind::kNumber;
      o.number = kSharedBegin;
      return o;
    }
    const size_t bar = text.find('|');
    o.negated = text[0] == '!';
    o.kind = Operand::Kind::kRegister;
    o.reg = Register(
        text.substr(o.negated ? 1 : 0, bar == std::string::npos ? bar : bar - (o.negated ? 1 : 0)));
    if (bar != std::string::npos && text.substr(bar + 1) != "_")
      o.second = Register(text.substr(bar + 1));
    return o;
  }

  Operand Memory(const std::string& text) {
    Operand o;
    o.kind = Operand::Kind::kMemory;
    const std::vector<std::string> parts = Split(text, ',');
    const size_t plus = parts[0].find('+');
    const Operand base = Read(Trim(parts[0].substr(0, plus)));
    if (base.kind == Operand::Kind::kNumber) o.number = base.number;
    if (base.kind == Operand::Kind::kRegister) o.reg = base.reg;
    if (plus != std::string::npos) o.number += Number(Trim(parts[0].substr(plus + 1)));
    if (parts.size() > 1) o.parts = Read(parts[1]).parts;
    return o;
  }

  Kernel& kernel_;
  int offset_ = 0;
  std::map<std::string, uint64_t> symbols_;
  std::map<std::string, int> labels_, registers_;
  std::vector<std::pair<size_t, std::string>> branches_;
};

}  // namespace

int BytesOf(Type type) {
  for (const Named& n : kTypes) {
    if (n.type == type) return n.bytes;
  }
  return 0;
}

bool IsSigned(Type type) {
  return type == Type::kS8 || type == Type::kS16 || type == Type::kS32 || type == Type::kS64;
}

Type TypeOf(std::string_view word) {
  for (const Named& n : kTypes) {
    if (n.word == word) return n.type;
  }
  return Type::kNone;
}

bool Instruction::Has(std::string_view word) const {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::map<std::string, Kernel> ReadModule(const std::string& text) {
  std::map<std::string, Kernel> kernels;
  std::istringstream lines(text);
  std::string line, statement;
  Kernel* kernel = nullptr;
  std::unique_ptr<Reader> reader;
  bool params = false;
  int depth = 0;
  while (std::getline(lines, line)) {
    line = Trim(line.substr(0, line.find("//")));
    if (line.empty()) continue;
    const size_t entry = line.find(".entry ");
    if (entry != std::string::npos) {
      const std::string name = Trim(line.substr(entry + 7, line.find('(') - entry - 7));
      kernel = &kernels[name];
      kernel->name = name;
      reader = std::make_unique<Reader>(*kernel);
      params = line.find(')') == std::string::npos;
      continue;
    }
    if (kernel == nullptr) {
      if (line.find(".func") != std::string::npos) throw Unknown("a function that is called");
      continue;
    }
    if (params) {
      if (line.starts_with(".param"))
        reader->AddParam(line.back() == ',' ? line.substr(0, line.size() - 1) : line);
      if (line[0] == ')') params = false;
      continue;
    }
    if (line.find(".local") != std::string::npos) throw Unknown("local memory");
    // Braces of blocks; those of operands have their line for themselves only with a `;`.
    if (line == "{" || line == "}") {
      depth += line == "{" ? 1 : -1;
      if (depth == 0) {
        reader->End();
        kernel = nullptr;
      }
      continue;
    }
    if (statement.empty() && line.back() == ':') {
      reader->AddLabel(line.substr(0, line.size() - 1));
      continue;
    }
    statement += (statement.empty() ? "" : " ") + line;
    for (size_t end; (end = statement.find(';')) != std::string::npos;) {
      const std::string one = Trim(statement.substr(0, end));
      statement = Trim(statement.substr(end + 1));
      if (!one.empty() && one[0] != '.') reader->AddInstruction(one);
    }
    if (statement.starts_with(".maxn") || statement.starts_with(".minn") ||
        statement.starts_with(".req") || statement.starts_with(".explicit")) {
      statement.clear();
    }
  }
  return kernels;
}

}  // namespace ptx
