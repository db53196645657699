#include "runner/cuda/bring_back.h"

#include "runner/oracle/generate.h"

namespace runner::cuda {
namespace {

Failure DownloadHeads(const BringMeans& means, const launch::MarksOrder& order,
                      const launch::Layout& layout, CUdeviceptr image,
                      std::span<std::byte> memory) {
  size_t at = 0;
  for (const auto& [name, bytes] : order.heads) {
    const auto to = memory.subspan(at, static_cast<size_t>(bytes));
    at += to.size();
    for (const launch::Slot& slot : layout.slots) {
      if (slot.workspace || slot.name != name || slot.bytes < bytes) continue;
      const auto data = static_cast<CUdeviceptr>(slot.offset + oracle::kGuardBytes);
      if (auto failure = Download(means, to, image + data); !failure.ok()) return failure;
    }
  }
  return {};
}

}  // namespace

Failure Download(const BringMeans& means, std::span<std::byte> to, CUdeviceptr from) {
  if (to.empty()) return {};
  const child::Span span(means.spans, "child.download");
  return {means.driver.api().memcpy_dtoh(to.data(), from, to.size()), "copy from the device"};
}

absl::StatusOr<child::MemoryFile> BringBack(const BringMeans& means,
                                            const contract::Workload& workload,
                                            const launch::CaseRequest& request,
                                            const std::vector<CUdeviceptr>& images,
                                            launch::CaseReply& reply, Failure& failure) {
  if (images.size() == request.runs.size()) {
    const child::Span span(means.spans, "child.marks");
    failure = means.marker.Read(means.launch_ms, reply.marks);
    const auto fault = launch::FaultOf(*request.marks, workload, reply.layout, request.runs,
                                       reply.marks, means.canaries);
    reply.image_is_heads =
        failure.ok() && fault.kind == launch::MarksFault::Kind::kNone && !request.marks->images;
  }
  auto file = child::MemoryFile::Create("case", launch::ImageBytes(reply, request));
  if (!file.ok() || !failure.ok()) return file;
  if (reply.image_is_heads) {
    failure = DownloadHeads(means, *request.marks, reply.layout, images.front(), file->bytes());
    return file;
  }
  const auto bytes = static_cast<size_t>(reply.layout.bytes);
  for (size_t r = 0; r < images.size() && failure.ok(); ++r)
    failure = Download(means, file->bytes().subspan(bytes * r, bytes), images[r]);
  return file;
}

}  // namespace runner::cuda
