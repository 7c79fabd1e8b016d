// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/ranks/data_parallel.hpp"

#include <algorithm>
#include <optional>
#include <variant>

namespace parity::laws {
namespace {

using trace::Phase;
using trace::RankRow;

/// Calls `take` with the rows of both ranks for each gradient of phase grad_local; null: a rank has none.
/// \return whether one of the calls returned true
template <class Take>
bool any_gradient(const RecordedRun& run, int64_t step, int64_t one, int64_t other, const Take& take) {
  const auto& all = run.trace().rank_rows();
  for (auto rows = all.lower_bound({step, Phase::grad_local, ""});
       rows != all.end() && rows->first.step == step && rows->first.phase == Phase::grad_local; ++rows) {
    const RankRow *a = nullptr, *b = nullptr;
    for (const RankRow& row : rows->second) {
      a = row.rank == one ? &row : a;
      b = row.rank == other ? &row : b;
    }
    if (take(a, b))
      return true;
  }
  return false;
}

/// Returns the term of a mean over data-parallel ranks that a rank has; nothing without.
std::optional<int64_t> data_parallel_term(const RankRow* row) {
  if (row && row->layout)
    for (const Placement& placement : row->layout->placements)
      if (placement.mesh_dimension == "dp" && std::holds_alternative<Partial>(placement.kind))
        return placement.coordinate;
  return std::nullopt;
}

}  // namespace

bool are_data_parallel(const RecordedRun& run, int64_t step, int64_t one, int64_t other) {
  const Json& facts = run.trace().provenance();
  const Json ranks =
      facts.is_object() ? facts.value(Json::json_pointer("/recipe/data_parallel"), Json()) : Json();
  if (ranks.is_array() && std::ranges::count(ranks, Json(one)) > 0 &&
      std::ranges::count(ranks, Json(other)) > 0)
    return true;
  return any_gradient(run, step, one, other, [](const RankRow* a, const RankRow* b) {
    const auto term = data_parallel_term(a), other_term = data_parallel_term(b);
    return term && other_term && *term != *other_term;
  });
}

bool are_all_data_parallel(const RecordedRun& run, int64_t step) {
  for (int64_t rank = 1; rank < run.trace().ranks(); ++rank)
    if (!are_data_parallel(run, step, rank, 0))
      return false;
  return true;
}

bool compute_other_gradients(const RecordedRun& run, int64_t step, int64_t one, int64_t other) {
  return any_gradient(run, step, one, other,
                      [](const RankRow* a, const RankRow* b) { return a && b && a->digest != b->digest; });
}

}  // namespace parity::laws
