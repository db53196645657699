// What happened: candidates, their members, pages of them.
#pragma once

#include "server/core/context.h"
#include "server/core/experiments.h"

namespace server::core {

class History {
 public:
  explicit History(Context& context) : c_(context) {}

  absl::StatusOr<CandidateView> GetCandidate(const std::string& name, bool with_source,
                                             int64_t max_members);
  // Pages by id; a page token belongs to its filter and to the log as it was for the first page.
  absl::StatusOr<ListReply> List(const ListRequest& request);

 private:
  absl::StatusOr<CandidateView> View(const state::Candidate& candidate,
                                     const store::CandidateRow& row) const;
  absl::StatusOr<CandidateView::Member> MemberOf(const state::Variant& variant,
                                                 store::Reads& reads) const;

  Context& c_;
};

}  // namespace server::core
