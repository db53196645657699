#include "runner/cuda/cupti.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace runner::cuda {
namespace {

constexpr size_t kBufferBytes = 1 << 20, kBufferAlignment = 8;

// What the callbacks reach.
struct Records {
  std::mutex mutex;
  const CuptiApi* api = nullptr;
  std::vector<Activity> list;
  size_t dropped = 0;
};
Records& State() {
  static Records records;
  return records;
}

void Requested(uint8_t** buffer, size_t* bytes, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *max_records = 0;  // as many as fit
}

Activity Read(const ActivityHead& head) {
  if (head.kind == static_cast<uint32_t>(kActivityGraphTrace)) {
    const auto& graph = reinterpret_cast<const ActivityGraph&>(head);
    return {.kind = kActivityGraphTrace,
            .start_ns = static_cast<int64_t>(graph.start_ns),
            .end_ns = static_cast<int64_t>(graph.end_ns)};
  }
  Activity out{.kind = static_cast<int>(head.kind),
               .start_ns = static_cast<int64_t>(head.start_ns),
               .end_ns = static_cast<int64_t>(head.end_ns)};
  if (out.kind == kActivityConcurrentKernel || out.kind == kActivityKernel) {
    const char* name = reinterpret_cast<const ActivityKernel&>(head).name;
    if (name != nullptr) out.name = name;
  } else {
    uint64_t bytes = 0;
    std::memcpy(&bytes, &head.other[1], sizeof(bytes));
    out.bytes = static_cast<int64_t>(bytes);
  }
  return out;
}

void Completed(CUcontext context, uint32_t stream, uint8_t* buffer, size_t, size_t valid_bytes) {
  Records& state = State();
  const std::scoped_lock lock(state.mutex);
  ActivityHead* record = nullptr;
  while (valid_bytes > 0 &&
         state.api->activity_get_next_record(buffer, valid_bytes, &record) == kCuptiSuccess) {
    state.list.push_back(Read(*record));
  }
  size_t dropped = 0;
  if (state.api->activity_get_num_dropped(context, stream, &dropped) == kCuptiSuccess)
    state.dropped += dropped;
  std::free(buffer);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Cupti>> Cupti::Open(const std::string& path) {
  std::vector<std::string> names = {path};
  if (path.empty()) {
    names = {"libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/lib64/libcupti.so.13",
             "/usr/local/cuda/lib64/libcupti.so.12",
             "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"};
  }
  void* library = nullptr;
  for (const std::string& name : names) {
    if (library == nullptr) library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr)
    return absl::UnavailableError(absl::StrCat("no CUPTI: tried ", absl::StrJoin(names, ", ")));
  auto cupti = std::make_unique<Cupti>();
  std::vector<std::string> missing;
#define CAKE_CUPTI_LOAD(member, name, parameters)                                             \
  cupti->api_.member = reinterpret_cast<decltype(cupti->api_.member)>(dlsym(library, #name)); \
  if (cupti->api_.member == nullptr) missing.push_back(#name);
  CAKE_CUPTI_ENTRIES(CAKE_CUPTI_LOAD)
#undef CAKE_CUPTI_LOAD
  if (!missing.empty())
    return absl::UnavailableError(absl::StrCat("CUPTI lacks ", absl::StrJoin(missing, ", ")));
  State().api = &cupti->api_;
  uint32_t version = 0;
  CUptiResult result = cupti->api_.get_version(&version);
  cupti->version_ = version;
  if (result == kCuptiSuccess)
    result = cupti->api_.activity_register_callbacks(Requested, Completed);
  for (int kind : {kActivityConcurrentKernel, kActivityMemset, kActivityMemcpy}) {
    if (result == kCuptiSuccess) result = cupti->api_.activity_enable(kind);
  }
  if (result != kCuptiSuccess)
    return absl::UnavailableError(absl::StrCat("CUPTI does not start: error ", result));
  return cupti;
}

absl::Status Cupti::TraceGraphs(bool whole) {
  if (whole == whole_graphs_) return absl::OkStatus();
  const CUptiResult result = whole ? api_.activity_enable(kActivityGraphTrace)
                                   : api_.activity_disable(kActivityGraphTrace);
  if (result != kCuptiSuccess)
    return absl::UnavailableError(absl::StrCat("CUPTI traces no graphs: error ", result));
  whole_graphs_ = whole;
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Activity>> Cupti::Drain() {
  const CUptiResult result = api_.activity_flush_all(kFlushForced);
  if (result != kCuptiSuccess)
    return absl::InternalError(absl::StrCat("CUPTI flush: error ", result));
  Records& state = State();
  const std::scoped_lock lock(state.mutex);
  if (state.dropped > 0)
    return absl::DataLossError(absl::StrCat("CUPTI dropped ", state.dropped, " records"));
  std::vector<Activity> out = std::move(state.list);
  state.list.clear();
  for (const Activity& a : out) busy_ns_ += a.end_ns - a.start_ns;
  std::sort(out.begin(), out.end(),
            [](const Activity& a, const Activity& b) { return a.start_ns < b.start_ns; });
  return out;
}

}  // namespace runner::cuda
