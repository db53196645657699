// Plain forms of built-in references for a device (reference.cu): which there are, and how one
// piece of an output is launched.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/reference/reference.h"

namespace runner::device {

// The code, and the kernels in it.
std::string ReferenceSource();
std::vector<std::string> ReferenceKernels();

// As reference.cu has them.
struct View {
  uint64_t address = 0;
  std::array<int64_t, 4> strides{};  // of the last four dimensions
  int64_t format = 0;
};
struct PieceView {
  int64_t begin = 0, end = 0, columns = 0;
  uint64_t want = 0, scale = 0;  // addresses
};
struct Shape {
  std::array<int64_t, 8> n{};  // what each kernel says
  double factor = 0;
};

// An output of a reference that has a plain form.
struct PlainForm {
  std::string kernel;
  std::vector<std::string> tensors;  // in the order of the kernel's parameters
  std::vector<View> views;           // of them; addresses are the caller's to fill in
  int64_t columns = 0;               // elements of a row: pieces are whole rows
  int64_t threads_a_row = 1;         // of the launch, per row_step rows
  int64_t row_step = 1;
  int64_t work = 0;  // multiplications of the whole output, about
  Shape shape;

  // Parameters of one launch; they point into this form, `views` and `piece`.
  std::vector<void*> Parameters(PieceView& piece);
};
// nullopt: there is none of this output, these dtypes or these strides.
std::optional<PlainForm> PlainFormOf(const reference::Builtin& builtin, std::string_view output,
                                     const reference::Inputs& inputs);

// Where Shape::n has what of an attention.
enum HeadsAt : int { kHeads, kKeyHeads, kQueries, kKeys, kDepth, kCausal };
inline constexpr char kAttentionKernel[] = "cake_reference_attention";

}  // namespace runner::device
