#include "runner/replay/table.h"

#include <unistd.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "runner/child/write_file.h"
#include "runner/contract/hash.h"

namespace runner::replay {
namespace {

constexpr size_t kShownMax = 3;

std::tuple<Key, std::string> Place(const Entry& entry) { return {entry.key, entry.purpose}; }

}  // namespace

absl::StatusOr<Table> Table::Load(const std::string& path) {
  const auto text = child::ReadWholeFile(path, kFileBytesMax);
  if (!text.ok()) return text.status();
  return Parse(*text, path);
}

absl::StatusOr<Table> Table::Parse(std::string_view text, const std::string& path) {
  Table out;
  out.hash_ = contract::Sha256Hex(std::string(text));
  int64_t number = 0;
  const auto refuse = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat(path, ":", number, ": ", what));
  };
  while (!text.empty()) {
    ++number;
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (static_cast<int64_t>(line.size()) > kLineBytesMax)
      return refuse(
          absl::StrCat("the line has ", line.size(), " bytes, the limit is ", kLineBytesMax));
    if (number == 1) {
      auto header = HeaderFromLine(line);
      if (!header.ok()) return refuse(header.status().message());
      out.header_ = *std::move(header);
      continue;
    }
    if (line.empty()) continue;
    auto entry = EntryFromLine(line);
    if (!entry.ok()) return refuse(entry.status().message());
    if (out.size() >= kEntriesMax) return refuse("too many entries");
    out.programs_[entry->key.program].insert({entry->key.contract, entry->key.protocol});
    const auto [known, fresh] = out.entries_.try_emplace(Place(*entry), *entry);
    if (!fresh && ToLine(known->second) != ToLine(*entry))
      return refuse("another entry has this program, contract, protocol and purpose");
  }
  if (number == 0) return refuse("the file is empty");
  return out;
}

const Entry* Table::Find(const Key& key, const std::string& purpose) const {
  auto found = entries_.find({key, purpose});
  if (found == entries_.end()) found = entries_.find({key, ""});
  return found == entries_.end() ? nullptr : &found->second;
}

std::string Table::WhyMissing(const Key& key) const {
  const std::string program = absl::StrCat("program ", key.program.substr(0, 12));
  const auto known = programs_.find(key.program);
  if (known == programs_.end()) return absl::StrCat(program, " is not in the table");
  std::string others;
  size_t shown = 0;
  for (const auto& [contract, protocol] : known->second) {
    if (shown++ == kShownMax) break;
    absl::StrAppend(&others, others.empty() ? "" : "; ", contract.substr(0, 12), " by ", protocol);
  }
  return absl::StrCat(program, " is recorded for contract ", others, ", not for ",
                      key.contract.substr(0, 12), " by ", key.protocol);
}

absl::StatusOr<Recorder> Recorder::Open(const std::string& path, const Header& header) {
  Recorder out;
  const bool there = access(path.c_str(), F_OK) == 0;
  if (there) {
    auto text = child::ReadWholeFile(path, kFileBytesMax);
    if (!text.ok()) return text.status();
    auto table = Table::Parse(*text, path);
    if (!table.ok()) return table.status();
    const Header& old = table->header();
    if (old.times != header.times || old.arch != header.arch || old.uuid != header.uuid) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": was recorded from ", old.name, " (", old.arch, ", ", old.uuid, ", times ",
          std::string(ToString(old.times)), "), not from ", header.name, " (", header.arch, ", ",
          header.uuid, ", times ", std::string(ToString(header.times)), ")"));
    }
    std::string_view rest = *text;
    rest.remove_prefix(std::min(rest.size(), rest.find('\n')));
    while (!rest.empty()) {
      rest.remove_prefix(1);
      const size_t end = std::min(rest.size(), rest.find('\n'));
      if (auto entry = EntryFromLine(rest.substr(0, end)); entry.ok())
        out.known_.insert(Place(*entry));
      rest.remove_prefix(end);
    }
  }
  out.file_.open(path, std::ios::app | std::ios::binary);
  if (!there) out.file_ << ToLine(header) << "\n" << std::flush;
  if (!out.file_) return absl::UnavailableError(absl::StrCat(path, ": cannot be written"));
  return out;
}

absl::StatusOr<bool> Recorder::Add(const Entry& entry) {
  if (!known_.insert(Place(entry)).second) return false;
  file_ << ToLine(entry) << "\n" << std::flush;
  if (!file_) return absl::UnavailableError("the replay file cannot be written");
  ++added_;
  return true;
}

}  // namespace runner::replay
