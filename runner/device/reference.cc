#include "runner/device/reference.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runner/device/judge.h"

namespace runner::device {
namespace {

using compiler::ir::DType;
using reference::Inputs;

constexpr int64_t kTile = 4, kChunk = 8;  // CAKE_TILE, CAKE_CHUNK
// A query of one thread: more points take longer than the host does.
constexpr int64_t kPointsMax = int64_t{1} << 18;

std::optional<View> ViewOf(const contract::CaseTensor& tensor) {
  View out;
  switch (tensor.tensor->dtype) {
    case DType::kF32: out.format = 0; break;
    case DType::kBF16: out.format = 1; break;
    case DType::kF16: out.format = 2; break;
    case DType::kI32: out.format = 3; break;
    case DType::kE4M3: out.format = 4; break;
    default: return std::nullopt;
  }
  if (tensor.shape.size() > out.strides.size()) return std::nullopt;
  std::copy(tensor.strides.begin(), tensor.strides.end(),
            out.strides.end() - static_cast<std::ptrdiff_t>(tensor.strides.size()));
  return out;
}

// The extent of a dimension, counted from the last one if negative.
int64_t Extent(const Inputs& inputs, const std::string& name, int dimension) {
  const auto& shape = inputs.tensors.at(name).at.shape;
  return shape[static_cast<size_t>(dimension < 0 ? static_cast<int>(shape.size()) + dimension
                                                 : dimension)];
}

// Four by four elements a thread.
PlainForm Gemm(const Inputs& inputs) {
  PlainForm out{.tensors = {"x", "w"}, .columns = Extent(inputs, "w", 0), .row_step = kTile};
  out.threads_a_row = (out.columns + kTile - 1) / kTile;
  out.shape.n[0] = Extent(inputs, "w", 1);
  out.work = Extent(inputs, "x", 0) * out.columns * out.shape.n[0];
  return out;
}

PlainForm Blockwise(const Inputs& inputs) {
  PlainForm out{.tensors = {"a", "b", "sa", "sb"}, .columns = Extent(inputs, "b", 0)};
  out.threads_a_row = out.columns;
  out.shape.n[0] = Extent(inputs, "b", 1);
  out.work = Extent(inputs, "a", 0) * out.columns * out.shape.n[0];
  return out;
}

PlainForm Swiglu(const Inputs& inputs) {
  PlainForm out{.tensors = {"x", "w", "off"}, .columns = Extent(inputs, "w", 2)};
  out.threads_a_row = out.columns;
  out.shape.n = {Extent(inputs, "w", 0), Extent(inputs, "w", 3)};
  out.work = 2 * Extent(inputs, "x", 0) * out.columns * out.shape.n[1];
  return out;
}

PlainForm Nearest(const Inputs& inputs) {
  PlainForm out{.tensors = {"x", "c"}, .columns = 1};
  out.shape.n = {Extent(inputs, "x", -2), Extent(inputs, "c", -2), Extent(inputs, "x", -1)};
  out.work = inputs.tensors.at("x").at.elements * out.shape.n[1];
  return out;
}

PlainForm Knn(const Inputs& inputs) {
  PlainForm out{.tensors = {"x", "c"}, .columns = inputs.outputs.at("ids").shape[1]};
  out.shape.n = {Extent(inputs, "c", 0), Extent(inputs, "c", 1)};
  if (out.shape.n[0] > kPointsMax || out.shape.n[0] < out.columns) out.columns = 0;
  out.work = inputs.tensors.at("x").at.elements * out.shape.n[0];
  return out;
}

// Eight columns of a query a thread, over about `keys` keys.
PlainForm Queries(PlainForm out, const Inputs& inputs, int64_t keys) {
  out.columns = Extent(inputs, "q", -1);
  out.threads_a_row = (out.columns + kChunk - 1) / kChunk;
  out.work = 2 * inputs.tensors.at("q").at.elements * keys;
  out.shape.factor = inputs.args.at("scale");
  return out;
}

template <int kIsCausal>
PlainForm Attention(const Inputs& inputs) {
  PlainForm out{.tensors = {"q", "k", "v"}};
  out.shape.n = {Extent(inputs, "q", 1), Extent(inputs, "k", 1), Extent(inputs, "q", 2),
                 Extent(inputs, "k", 2), Extent(inputs, "q", 3), kIsCausal};
  return Queries(std::move(out), inputs, out.shape.n[kKeys]);
}

PlainForm Paged(const Inputs& inputs) {
  PlainForm out{.tensors = {"q", "kc", "vc", "table", "lens"}};
  out.shape.n = {Extent(inputs, "q", 1), Extent(inputs, "q", 2), Extent(inputs, "q", 3),
                 Extent(inputs, "kc", 1)};
  return Queries(std::move(out), inputs, Extent(inputs, "table", 1) * Extent(inputs, "kc", 1));
}

PlainForm Packed(const Inputs& inputs) {
  PlainForm out{.tensors = {"q", "k", "v", "cuq", "cuk"}};
  out.shape.n = {Extent(inputs, "q", 1), Extent(inputs, "k", 1), Extent(inputs, "q", 2)};
  const int64_t sequences = std::max<int64_t>(1, Extent(inputs, "cuk", 0) - 1);
  return Queries(std::move(out), inputs, Extent(inputs, "k", 0) / sequences);
}

// What takes each row of x by itself, a row a thread.
PlainForm Rows(std::vector<std::string> tensors, const Inputs& inputs) {
  PlainForm out{.tensors = std::move(tensors), .columns = Extent(inputs, "x", 1)};
  out.work = 2 * inputs.tensors.at("x").at.elements;
  const auto eps = inputs.args.find("eps");
  out.shape.factor = eps == inputs.args.end() ? 0 : eps->second;
  return out;
}
PlainForm RmsNorm(const Inputs& inputs) { return Rows({"x", "w"}, inputs); }
PlainForm LayerNorm(const Inputs& inputs) { return Rows({"x", "w", "b"}, inputs); }
PlainForm Softmax(const Inputs& inputs) { return Rows({"x"}, inputs); }

struct Entry {
  std::string_view builtin, output, kernel;
  PlainForm (*form)(const Inputs& inputs);
};
constexpr Entry kForms[] = {
    {"attention", "o", kAttentionKernel, Attention<0>},
    {"attention_causal", "o", kAttentionKernel, Attention<1>},
    {"attention_varlen", "o", "cake_reference_packed", Packed},
    {"gemm", "y", "cake_reference_gemm", Gemm},
    {"gemm_blockwise", "y", "cake_reference_blockwise", Blockwise},
    {"grouped_swiglu", "y", "cake_reference_swiglu", Swiglu},
    {"kmeans_assign", "ids", "cake_reference_nearest", Nearest},
    {"knn", "ids", "cake_reference_knn", Knn},
    {"layernorm", "y", "cake_reference_layernorm", LayerNorm},
    {"paged_attention", "o", "cake_reference_paged", Paged},
    {"rmsnorm", "y", "cake_reference_rmsnorm", RmsNorm},
    {"softmax", "y", "cake_reference_softmax", Softmax},
};

}  // namespace

std::string ReferenceSource() {
  const std::string_view first = Embedded("reference.cu"), second = Embedded("reference_rows.cu");
  return absl::StrCat(std::string(first), std::string(second));
}

std::vector<std::string> ReferenceKernels() {
  std::vector<std::string> out;
  for (const Entry& entry : kForms) {
    if (std::find(out.begin(), out.end(), entry.kernel) == out.end())
      out.emplace_back(entry.kernel);
  }
  return out;
}

std::optional<PlainForm> PlainFormOf(const reference::Builtin& builtin, std::string_view output,
                                     const Inputs& inputs) {
  const auto entry = std::find_if(std::begin(kForms), std::end(kForms), [&](const Entry& one) {
    return one.builtin == builtin.name && one.output == output;
  });
  if (entry == std::end(kForms)) return std::nullopt;
  PlainForm out = entry->form(inputs);
  out.kernel = entry->kernel;
  if (out.columns == 0) return std::nullopt;
  for (const std::string& name : out.tensors) {
    const auto view = ViewOf(inputs.tensors.at(name).at);
    if (!view) return std::nullopt;
    out.views.push_back(*view);
  }
  return out;
}

std::vector<void*> PlainForm::Parameters(PieceView& piece) {
  std::vector<void*> out;
  for (View& view : views) out.push_back(&view);
  out.push_back(&shape);
  out.push_back(&piece);
  return out;
}

}  // namespace runner::device
