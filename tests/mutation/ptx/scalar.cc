#include "tests/mutation/ptx/scalar.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace ptx {
namespace {

using Args = std::vector<uint64_t>;

uint64_t Cut(uint64_t v, Type type) {
  const int bits = 8 * BytesOf(type);
  return bits >= 64 || type == Type::kPred ? v : v & ((uint64_t{1} << bits) - 1);
}

int64_t Signed(uint64_t v, Type type) {
  const int drop = 64 - 8 * BytesOf(type);
  return static_cast<int64_t>(v << drop) >> drop;
}

float F32(uint64_t v) { return std::bit_cast<float>(static_cast<uint32_t>(v)); }
uint64_t Bits(float v) { return std::bit_cast<uint32_t>(v); }
double F64(uint64_t v) { return std::bit_cast<double>(v); }
float Bf16(uint64_t v) { return F32((v & 0xffff) << 16); }
uint64_t ToBf16(float v) {
  const uint32_t bits = std::bit_cast<uint32_t>(v);
  if (std::isnan(v)) return 0x7fff;
  return ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) & 0xffff;
}
float F16(uint64_t v) {
  const auto half = static_cast<uint16_t>(v);
  _Float16 h;
  std::memcpy(&h, &half, 2);
  return static_cast<float>(h);
}
uint64_t ToF16(float v) {
  const auto h = static_cast<_Float16>(v);
  uint16_t bits;
  std::memcpy(&bits, &h, 2);
  return bits;
}

bool IsFloat(Type t) {
  return t == Type::kF32 || t == Type::kF64 || t == Type::kF16 || t == Type::kBf16;
}
bool IsPair(Type t) { return t == Type::kF16x2 || t == Type::kBf16x2; }

double Read(uint64_t v, Type t) {
  switch (t) {
    case Type::kF32: return static_cast<double>(F32(v));
    case Type::kF64: return F64(v);
    case Type::kF16: return static_cast<double>(F16(v));
    case Type::kBf16: return static_cast<double>(Bf16(v));
    default:
      return IsSigned(t) ? static_cast<double>(Signed(v, t)) : static_cast<double>(Cut(v, t));
  }
}

uint64_t Write(double v, Type t) {
  switch (t) {
    case Type::kF32: return Bits(static_cast<float>(v));
    case Type::kF64: return std::bit_cast<uint64_t>(v);
    case Type::kF16: return ToF16(static_cast<float>(v));
    case Type::kBf16: return ToBf16(static_cast<float>(v));
    default: throw Unknown("a float as an integer");
  }
}

uint64_t FloatOp(const Instruction& i, Type t, const Args& v) {
  const std::string& op = i.op();
  const auto x = [&](size_t n) { return Read(v[n], t); };
  if (op == "fma" || op == "mad") {
    return t == Type::kF32 ? Bits(std::fmaf(F32(v[0]), F32(v[1]), F32(v[2])))
                           : Write(x(0) * x(1) + x(2), t);
  }
  if (op == "add") return t == Type::kF32 ? Bits(F32(v[0]) + F32(v[1])) : Write(x(0) + x(1), t);
  if (op == "sub") return t == Type::kF32 ? Bits(F32(v[0]) - F32(v[1])) : Write(x(0) - x(1), t);
  if (op == "mul") return t == Type::kF32 ? Bits(F32(v[0]) * F32(v[1])) : Write(x(0) * x(1), t);
  if (op == "div") return Write(x(0) / x(1), t);
  if (op == "min") return Write(std::fmin(x(0), x(1)), t);
  if (op == "max") return Write(std::fmax(x(0), x(1)), t);
  if (op == "neg") return Write(-x(0), t);
  if (op == "abs") return Write(std::fabs(x(0)), t);
  if (op == "sqrt") return Write(std::sqrt(x(0)), t);
  if (op == "rsqrt") return Write(1 / std::sqrt(x(0)), t);
  if (op == "rcp") return Write(1 / x(0), t);
  if (op == "ex2") return Write(std::exp2(x(0)), t);
  if (op == "lg2") return Write(std::log2(x(0)), t);
  if (op == "sin") return Write(std::sin(x(0)), t);
  if (op == "cos") return Write(std::cos(x(0)), t);
  if (op == "tanh") return Write(std::tanh(x(0)), t);
  throw Unknown(i.text);
}

uint64_t PairOp(const Instruction& i, Type t, const Args& v) {
  const Type half = t == Type::kF16x2 ? Type::kF16 : Type::kBf16;
  Args low, high;
  for (const uint64_t a : v) {
    low.push_back(a & 0xffff);
    high.push_back((a >> 16) & 0xffff);
  }
  return FloatOp(i, half, low) | (FloatOp(i, half, high) << 16);
}

bool Compare(std::string_view how, bool less, bool equal, bool unordered) {
  if (how.ends_with("u") && how.size() == 3 && how != "equ" && unordered) return true;
  if (how == "equ" || how == "neu") {
    if (unordered) return true;
  } else if (unordered) {
    return how == "nan";
  }
  const std::string_view base = how.substr(0, 2);
  if (base == "eq") return equal;
  if (base == "ne") return !equal;
  if (base == "lt" || base == "lo") return less;
  if (base == "le" || base == "ls") return less || equal;
  if (base == "gt" || base == "hi") return !less && !equal;
  if (base == "ge" || base == "hs") return !less;
  if (how == "num") return true;
  if (how == "nan") return false;
  throw Unknown("comparison " + std::string(how));
}

bool CompareTyped(const Instruction& i, const Args& v, Type t) {
  const std::string& how = i.words[1];
  if (IsFloat(t)) {
    const double a = Read(v[0], t), b = Read(v[1], t);
    return Compare(how, a < b, a == b, std::isnan(a) || std::isnan(b));
  }
  if (IsSigned(t)) {
    const int64_t a = Signed(v[0], t), b = Signed(v[1], t);
    return Compare(how, a < b, a == b, false);
  }
  const uint64_t a = Cut(v[0], t), b = Cut(v[1], t);
  return Compare(how, a < b, a == b, false);
}

uint64_t SetPredicate(const Instruction& i, const Args& v) {
  const bool result = CompareTyped(i, v, i.types[0]);
  if (i.Has("and")) return result && (v[2] & 1) != 0;
  if (i.Has("or")) return result || (v[2] & 1) != 0;
  if (i.Has("xor")) return result != ((v[2] & 1) != 0);
  return result;
}

uint64_t ToInteger(double v, Type t, const Instruction& i) {
  if (std::isnan(v)) return 0;
  const double r = i.Has("rzi")   ? std::trunc(v)
                   : i.Has("rmi") ? std::floor(v)
                   : i.Has("rpi") ? std::ceil(v)
                                  : std::nearbyint(v);
  const int bits = 8 * BytesOf(t);
  const double low = IsSigned(t) ? -std::exp2(bits - 1) : 0;
  const double high = std::exp2(IsSigned(t) ? bits - 1 : bits) - 1;
  const double c = std::min(std::max(r, low), high);
  return IsSigned(t) ? static_cast<uint64_t>(static_cast<int64_t>(c)) : static_cast<uint64_t>(c);
}

uint64_t Convert(const Instruction& i, const Args& v) {
  const Type to = i.types[0], from = i.types.size() > 1 ? i.types[1] : to;
  if (i.Has("tf32")) return v[0] & ~uint64_t{0x1fff};
  if (to == Type::kBf16x2) return ToBf16(F32(v[1])) | (ToBf16(F32(v[0])) << 16);
  if (to == Type::kF16x2) return ToF16(F32(v[1])) | (ToF16(F32(v[0])) << 16);
  if (IsFloat(to) && IsFloat(from)) {
    double value = Read(v[0], from);
    if (i.Has("rni")) value = std::nearbyint(value);
    if (i.Has("rmi")) value = std::floor(value);
    if (i.Has("rpi")) value = std::ceil(value);
    if (i.Has("rzi")) value = std::trunc(value);
    return Write(value, to);
  }
  if (IsFloat(to)) {
    if (to == Type::kF32) {
      return IsSigned(from) ? Bits(static_cast<float>(Signed(v[0], from)))
                            : Bits(static_cast<float>(Cut(v[0], from)));
    }
    return Write(Read(v[0], from), to);
  }
  if (IsFloat(from)) return Cut(ToInteger(Read(v[0], from), to, i), to);
  return Cut(IsSigned(from) ? static_cast<uint64_t>(Signed(v[0], from)) : Cut(v[0], from), to);
}

uint64_t Permute(const Args& v) {
  const uint64_t all = (v[0] & 0xffffffff) | (v[1] << 32);
  uint64_t out = 0;
  for (int byte = 0; byte < 4; ++byte) {
    const uint64_t pick = (v[2] >> (4 * byte)) & 0xf;
    uint64_t b = (all >> (8 * (pick & 7))) & 0xff;
    if ((pick & 8) != 0) b = (b & 0x80) != 0 ? 0xff : 0;
    out |= b << (8 * byte);
  }
  return out;
}

uint64_t Lookup3(const Args& v) {
  uint64_t out = 0;
  for (int bit = 0; bit < 32; ++bit) {
    const uint64_t index = ((v[0] >> bit & 1) << 2) | ((v[1] >> bit & 1) << 1) | (v[2] >> bit & 1);
    out |= (v[3] >> index & 1) << bit;
  }
  return out;
}

uint64_t Multiply(const Instruction& i, Type t, const Args& v) {
  const bool is_signed = IsSigned(t);
  if (i.Has("wide")) {
    const uint64_t product = is_signed ? static_cast<uint64_t>(Signed(v[0], t) * Signed(v[1], t))
                                       : Cut(v[0], t) * Cut(v[1], t);
    return BytesOf(t) == 4 ? product : product & 0xffffffff;
  }
  if (i.Has("hi")) {
    if (is_signed) {
      const __int128 p = static_cast<__int128>(Signed(v[0], t)) * Signed(v[1], t);
      return Cut(static_cast<uint64_t>(p >> (8 * BytesOf(t))), t);
    }
    const unsigned __int128 p = static_cast<unsigned __int128>(Cut(v[0], t)) * Cut(v[1], t);
    return Cut(static_cast<uint64_t>(p >> (8 * BytesOf(t))), t);
  }
  return Cut(v[0] * v[1], t);
}

uint64_t Shift(const Instruction& i, Type t, const Args& v) {
  const uint64_t bits = static_cast<uint64_t>(8 * BytesOf(t)), by = v[1] & 0xffffffff;
  if (i.op() == "shl") return by >= bits ? 0 : Cut(v[0] << by, t);
  if (IsSigned(t)) return Cut(static_cast<uint64_t>(Signed(v[0], t) >> std::min(by, bits - 1)), t);
  return by >= bits ? 0 : Cut(v[0], t) >> by;
}

uint64_t Divide(const Instruction& i, Type t, const Args& v) {
  if (Cut(v[1], t) == 0) return Cut(~uint64_t{0}, t);
  const bool rem = i.op() == "rem";
  if (IsSigned(t)) {
    const int64_t a = Signed(v[0], t), b = Signed(v[1], t);
    if (b == -1) return rem ? 0 : Cut(static_cast<uint64_t>(-a), t);
    return Cut(static_cast<uint64_t>(rem ? a % b : a / b), t);
  }
  const uint64_t a = Cut(v[0], t), b = Cut(v[1], t);
  return rem ? a % b : a / b;
}

uint64_t BitField(const Instruction& i, Type t, const Args& v) {
  if (i.op() == "bfe") {
    const uint64_t at = v[1] & 0xff, size = v[2] & 0xff;
    const uint64_t mask = size >= 64 ? ~uint64_t{0} : (uint64_t{1} << size) - 1;
    const uint64_t field = at >= 64 ? 0 : (Cut(v[0], t) >> at) & mask;
    const bool negative = IsSigned(t) && size > 0 && (field >> (size - 1) & 1) != 0;
    return Cut(negative ? field | ~mask : field, t);
  }
  const uint64_t at = v[2] & 0xff, size = v[3] & 0xff;
  const uint64_t mask = (size >= 64 ? ~uint64_t{0} : (uint64_t{1} << size) - 1) << at;
  return Cut((v[1] & ~mask) | ((v[0] << at) & mask), t);
}

uint64_t IntegerOp(const Instruction& i, Type t, const Args& v) {
  const std::string& op = i.op();
  if (op == "add") return Cut(v[0] + v[1], t);
  if (op == "sub") return Cut(v[0] - v[1], t);
  if (op == "mul") return Multiply(i, t, v);
  if (op == "mad") {
    const bool wide = i.Has("wide");
    const uint64_t sum = Multiply(i, t, v) + v[2];
    return wide ? sum : Cut(sum, t);
  }
  if (op == "div" || op == "rem") return Divide(i, t, v);
  if (op == "shl" || op == "shr") return Shift(i, t, v);
  if (op == "neg") return Cut(-v[0], t);
  if (op == "abs") return Cut(static_cast<uint64_t>(std::abs(Signed(v[0], t))), t);
  if (op == "min" || op == "max") {
    const bool less = IsSigned(t) ? Signed(v[0], t) < Signed(v[1], t) : Cut(v[0], t) < Cut(v[1], t);
    return less == (op == "min") ? v[0] : v[1];
  }
  if (op == "popc") return static_cast<uint64_t>(std::popcount(Cut(v[0], t)));
  if (op == "clz")
    return static_cast<uint64_t>(std::countl_zero(Cut(v[0], t)) - (64 - 8 * BytesOf(t)));
  if (op == "bfe" || op == "bfi") return BitField(i, t, v);
  if (op == "brev") {
    uint64_t out = 0;
    const int bits = 8 * BytesOf(t);
    for (int bit = 0; bit < bits; ++bit) out |= (v[0] >> bit & 1) << (bits - 1 - bit);
    return out;
  }
  if (op == "bfind") {
    const uint64_t c = Cut(v[0], t);
    return c == 0 ? 0xffffffff : static_cast<uint64_t>(63 - std::countl_zero(c));
  }
  if (op == "shf") {
    const uint64_t both = (v[0] & 0xffffffff) | (v[1] << 32);
    const uint64_t by = i.Has("wrap") ? v[2] & 31 : std::min<uint64_t>(v[2], 32);
    if (i.Has("r")) return by == 0 ? v[0] & 0xffffffff : (both >> by) & 0xffffffff;
    return (both << by >> 32) & 0xffffffff;
  }
  throw Unknown(i.text);
}

}  // namespace

uint64_t Compute(const Instruction& i, const Args& v) {
  const std::string& op = i.op();
  if (op == "setp") return SetPredicate(i, v);
  if (op == "set")
    return CompareTyped(i, v, i.types[1]) ? (i.types[0] == Type::kF32 ? Bits(1.0f) : 0xffffffff)
                                          : 0;
  if (op == "selp") return (v[2] & 1) != 0 ? v[0] : v[1];
  if (op == "mov" || op == "cvta") return v[0];
  if (op == "cvt") return Convert(i, v);
  if (op == "prmt") return Permute(v);
  if (op == "lop3") return Lookup3(v);
  if (i.Has("cc") || op == "addc" || op == "subc" || op == "madc") throw Unknown(i.text);
  const Type t = i.types.empty() ? Type::kB32 : i.types[0];
  if (op == "and") return v[0] & v[1];
  if (op == "or") return v[0] | v[1];
  if (op == "xor") return v[0] ^ v[1];
  if (op == "not") return t == Type::kPred ? v[0] ^ 1 : Cut(~v[0], t);
  if (IsPair(t)) return PairOp(i, t, v);
  if (IsFloat(t)) return FloatOp(i, t, v);
  return IntegerOp(i, t, v);
}

}  // namespace ptx
