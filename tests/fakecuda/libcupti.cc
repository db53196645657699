// The fake libcupti.so.13: hands the fake driver's finished operations over as activity records.
#include <cstring>
#include <string>
#include <unordered_set>
#include <vector>

#include "runner/cuda/cupti_api.h"
#include "tests/fakecuda/activity.h"
#include "tests/fakecuda/export.h"

using namespace runner::cuda;

// Of the fake driver, which this library is linked to.
extern "C" void cakeFakeKeepRecords(bool keep);
extern "C" void cakeFakeRecordGraphsWhole(bool whole);
extern "C" size_t cakeFakeTakeRecords(void (*each)(void*, const fakecuda::ActivityRecord&),
                                      void* user);

namespace {

constexpr uint32_t kVersion = 130000;
constexpr size_t kRecordBytes =
    sizeof(ActivityKernel);  // every record takes the largest one's room

CuptiBufferRequested requested = nullptr;
CuptiBufferCompleted completed = nullptr;
std::unordered_set<int> enabled;

// Record names must outlive the records' readers.
const char* Keep(const std::string& name) {
  static auto* names = new std::unordered_set<std::string>;
  return names->insert(name).first->c_str();
}

ActivityKernel RecordOf(const fakecuda::ActivityRecord& from) {
  ActivityKernel out = {};
  out.head.kind = static_cast<uint32_t>(from.kind);
  if (from.kind == kActivityGraphTrace) {
    ActivityGraph graph{.kind = out.head.kind,
                        .start_ns = static_cast<uint64_t>(from.start_ns),
                        .end_ns = static_cast<uint64_t>(from.end_ns)};
    std::memcpy(&out, &graph, sizeof(graph));
    return out;
  }
  out.head.start_ns = static_cast<uint64_t>(from.start_ns);
  out.head.end_ns = static_cast<uint64_t>(from.end_ns);
  if (from.kind == kActivityConcurrentKernel) {
    out.name = Keep(from.name);
  } else {
    const auto bytes = static_cast<uint64_t>(from.bytes);
    std::memcpy(&out.head.other[1], &bytes, sizeof(bytes));
  }
  return out;
}

// Fills buffers of the client and hands each over when it is full or the last.
class Flush {
 public:
  void Add(const fakecuda::ActivityRecord& record) {
    if (!enabled.contains(record.kind)) return;
    if (buffer_ == nullptr) requested(&buffer_, &bytes_, &max_records_);
    const ActivityKernel out = RecordOf(record);
    std::memcpy(buffer_ + used_, &out, sizeof(out));
    used_ += kRecordBytes;
    if (used_ + kRecordBytes > bytes_) HandOver();
  }
  void HandOver() {
    if (buffer_ == nullptr) return;
    completed(nullptr, 0, buffer_, bytes_, used_);
    buffer_ = nullptr;
    used_ = 0;
    position = nullptr;
  }

  static const uint8_t* position;  // where the client is in the buffer it was given

 private:
  uint8_t* buffer_ = nullptr;
  size_t bytes_ = 0, max_records_ = 0, used_ = 0;
};
const uint8_t* Flush::position = nullptr;

}  // namespace

#define CAKE_FAKE_DECLARE(member, name, parameters) CAKE_EXPORT CUptiResult name parameters;
CAKE_CUPTI_ENTRIES(CAKE_FAKE_DECLARE)
#undef CAKE_FAKE_DECLARE

CUptiResult cuptiGetVersion(uint32_t* version) {
  *version = kVersion;
  return kCuptiSuccess;
}

CUptiResult cuptiActivityRegisterCallbacks(CuptiBufferRequested on_request,
                                           CuptiBufferCompleted on_complete) {
  requested = on_request;
  completed = on_complete;
  return kCuptiSuccess;
}

CUptiResult cuptiActivityEnable(int kind) {
  enabled.insert(kind);
  cakeFakeRecordGraphsWhole(enabled.contains(kActivityGraphTrace));
  cakeFakeKeepRecords(true);
  return kCuptiSuccess;
}

CUptiResult cuptiActivityDisable(int kind) {
  enabled.erase(kind);
  cakeFakeRecordGraphsWhole(enabled.contains(kActivityGraphTrace));
  cakeFakeKeepRecords(!enabled.empty());
  return kCuptiSuccess;
}

CUptiResult cuptiActivityFlushAll(uint32_t) {
  Flush flush;
  cakeFakeTakeRecords(
      [](void* user, const fakecuda::ActivityRecord& record) {
        static_cast<Flush*>(user)->Add(record);
      },
      &flush);
  flush.HandOver();
  return kCuptiSuccess;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid_bytes, ActivityHead** record) {
  const uint8_t* next = Flush::position == nullptr ? buffer : Flush::position + kRecordBytes;
  if (next + kRecordBytes > buffer + valid_bytes) {
    Flush::position = nullptr;
    return kCuptiMaxLimitReached;
  }
  Flush::position = next;
  *record = reinterpret_cast<ActivityHead*>(buffer + (next - buffer));
  return kCuptiSuccess;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  *dropped = 0;
  return kCuptiSuccess;
}
