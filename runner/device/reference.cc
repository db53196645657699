#include "runner/device/reference.h"

#include <algorithm>

#include "runner/device/judge.h"

namespace runner::device {
namespace {

using compiler::ir::DType;

constexpr int64_t kTile = 4, kChunk = 8;  // CAKE_TILE, CAKE_CHUNK
constexpr char kGemm[] = "cake_reference_gemm", kAttention[] = "cake_reference_attention";

std::optional<View> ViewOf(const contract::CaseTensor& tensor) {
  View out;
  switch (tensor.tensor->dtype) {
    case DType::kF32: out.format = 0; break;
    case DType::kBF16: out.format = 1; break;
    case DType::kF16: out.format = 2; break;
    default: return std::nullopt;
  }
  if (tensor.shape.size() > out.strides.size()) return std::nullopt;
  std::copy(tensor.strides.begin(), tensor.strides.end(),
            out.strides.end() - static_cast<std::ptrdiff_t>(tensor.strides.size()));
  return out;
}

int64_t Extent(const reference::Inputs& inputs, std::string_view name, size_t dimension) {
  return inputs.tensors.at(std::string(name)).at.shape[dimension];
}

PlainForm Gemm(const reference::Inputs& inputs) {
  PlainForm out{.kernel = kGemm,
                .tensors = {"x", "w"},
                .columns = Extent(inputs, "w", 0),
                .row_step = kTile,
                .depth = Extent(inputs, "w", 1)};
  out.threads_a_row = (out.columns + kTile - 1) / kTile;
  out.work = Extent(inputs, "x", 0) * out.columns * out.depth;
  return out;
}

PlainForm Attention(const reference::Inputs& inputs, bool causal) {
  PlainForm out{.kernel = kAttention,
                .tensors = {"q", "k", "v"},
                .columns = Extent(inputs, "q", 3),
                .heads = {.heads = Extent(inputs, "q", 1),
                          .key_heads = Extent(inputs, "k", 1),
                          .queries = Extent(inputs, "q", 2),
                          .keys = Extent(inputs, "k", 2),
                          .depth = Extent(inputs, "q", 3),
                          .causal = causal ? 1 : 0,
                          .factor = inputs.args.at("scale")}};
  out.threads_a_row = (out.columns + kChunk - 1) / kChunk;
  out.work = 2 * Extent(inputs, "q", 0) * out.heads.heads * out.heads.queries * out.heads.keys *
             out.columns;
  return out;
}

}  // namespace

std::string_view ReferenceSource() { return Embedded("reference.cu"); }
std::vector<std::string> ReferenceKernels() { return {kGemm, kAttention}; }

std::optional<PlainForm> PlainFormOf(const reference::Builtin& builtin, std::string_view output,
                                     const reference::Inputs& inputs) {
  std::optional<PlainForm> out;
  if (builtin.name == "gemm" && output == "y") out = Gemm(inputs);
  if ((builtin.name == "attention" || builtin.name == "attention_causal") && output == "o")
    out = Attention(inputs, builtin.name == "attention_causal");
  if (!out || out->columns == 0) return std::nullopt;
  for (const std::string& name : out->tensors) {
    const auto view = ViewOf(inputs.tensors.at(name).at);
    if (!view) return std::nullopt;
    out->views.push_back(*view);
  }
  return out;
}

std::vector<void*> PlainForm::Parameters(PieceView& piece) {
  std::vector<void*> out;
  for (View& view : views) out.push_back(&view);
  if (kernel == kGemm) out.push_back(&depth);
  if (kernel == kAttention) out.push_back(&heads);
  out.push_back(&piece);
  return out;
}

}  // namespace runner::device
