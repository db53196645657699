#include "clients/cli/remote/objects.h"

#include <openssl/evp.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace clients::cli::remote {
namespace {

constexpr size_t kObjectBytesMax = size_t{64} << 20;

}  // namespace

std::string Sha256Hex(const std::string& bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest, &length, EVP_sha256(), nullptr);
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<char*>(digest), length));
}

absl::StatusOr<std::string> FetchObject(const Client& client, const std::string& hash) {
  cake::v1::GetObjectRequest request;
  request.set_hash(hash);
  auto context = Deadline(60);
  auto stream = client.worker->GetObject(context.get(), request);
  cake::v1::GetObjectReply part;
  std::string bytes;
  while (stream->Read(&part)) {
    if (part.has_data()) bytes += part.data();
    if (bytes.size() > kObjectBytesMax) return absl::ResourceExhaustedError("object too large");
  }
  const grpc::Status status = stream->Finish();
  if (!status.ok() || Sha256Hex(bytes) != hash) {
    return absl::NotFoundError(absl::StrCat("the daemon does not have object ", hash, ": ",
                                            status.ok() ? "other bytes" : status.error_message()));
  }
  return bytes;
}

}  // namespace clients::cli::remote
