// Size expressions of contracts: "N", "2*M", "(N + 127) / 128". Recursive descent, bounded nesting.
#include <cctype>

#include "absl/strings/str_cat.h"
#include "runner/contract/workload.h"

namespace runner::contract {
namespace {

constexpr int kNestingMax = 32;
constexpr size_t kExpressionBytesMax = 256;

class Parser {
 public:
  Parser(std::string_view text, const std::map<std::string, int64_t>& dims)
      : text_(text), dims_(dims) {}

  absl::StatusOr<int64_t> Parse() {
    int64_t value = 0;
    if (text_.size() > kExpressionBytesMax) {
      Fail("longer than 256 bytes");
    } else {
      value = Sum(0);
    }
    if (status_.ok() && Peek() != '\0')
      Fail(absl::StrCat("unexpected `", std::string(1, Peek()), "`"));
    if (!status_.ok()) return status_;
    return value;
  }

 private:
  char Peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  int64_t Fail(std::string_view what) {
    if (status_.ok()) {
      status_ = absl::InvalidArgumentError(
          absl::StrCat("size expression `", std::string(text_), "`: ", std::string(what)));
    }
    return 0;
  }

  int64_t Sum(int depth) {
    if (depth > kNestingMax) return Fail("nested too deep");
    int64_t left = Product(depth);
    while (status_.ok() && (Peek() == '+' || Peek() == '-')) {
      const char op = text_[at_++];
      const int64_t right = Product(depth);
      const bool overflow = op == '+' ? __builtin_add_overflow(left, right, &left)
                                      : __builtin_sub_overflow(left, right, &left);
      if (overflow) Fail("overflow");
    }
    return left;
  }
  int64_t Product(int depth) {
    int64_t left = Atom(depth);
    while (status_.ok() && (Peek() == '*' || Peek() == '/')) {
      const char op = text_[at_++];
      const int64_t right = Atom(depth);
      if (!status_.ok()) break;
      if (op == '*') {
        if (__builtin_mul_overflow(left, right, &left)) Fail("overflow");
      } else if (right <= 0) {
        Fail("division by a number that is not positive");
      } else {
        left = (left >= 0 ? left : left - right + 1) / right;
      }
    }
    return left;
  }
  int64_t Atom(int depth) {
    const char first = Peek();
    if (first == '(') {
      ++at_;
      const int64_t value = Sum(depth + 1);
      if (Peek() != ')') return Fail("missing `)`");
      ++at_;
      return value;
    }
    if (std::isdigit(static_cast<unsigned char>(first))) return Number();
    if (std::isalpha(static_cast<unsigned char>(first)) || first == '_') return Name();
    return Fail(first == '\0' ? "ends too early" : "expected a number, a dim or `(`");
  }
  int64_t Number() {
    int64_t value = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
          __builtin_add_overflow(value, int64_t{text_[at_] - '0'}, &value)) {
        return Fail("overflow");
      }
      ++at_;
    }
    return value;
  }
  int64_t Name() {
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) {
      ++at_;
    }
    const std::string name(text_.substr(begin, at_ - begin));
    const auto dim = dims_.find(name);
    if (dim == dims_.end()) return Fail(absl::StrCat("unknown dim `", name, "`"));
    return dim->second;
  }

  std::string_view text_;
  const std::map<std::string, int64_t>& dims_;
  size_t at_ = 0;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<int64_t> EvaluateSize(std::string_view expression,
                                     const std::map<std::string, int64_t>& dims) {
  return Parser(expression, dims).Parse();
}

}  // namespace runner::contract
