// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/batches/data_parallel.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/tensor/part.hpp"

namespace parity::laws {
namespace {

using trace::Phase;

/// Returns whether every rank's rows of a phase show that two ranks hold the same parts of all its tensors;
/// nothing without such rows.
std::optional<bool> hold_the_same_parts(const RecordedRun& run, int64_t step, Phase phase, int64_t one,
                                        int64_t other) {
  std::optional<bool> same;
  for (const std::string& name : run.names(step, phase)) {
    const auto rows = run.trace().rank_rows().find({step, phase, name});
    if (name.find('#') != std::string::npos || rows == run.trace().rank_rows().end())
      continue;
    std::map<int64_t, std::optional<std::vector<std::vector<IndexRange>>>> parts;
    for (const trace::RankRow& row : rows->second)
      parts[row.rank] = row.layout ? std::optional(cover_of(*row.layout).ranges) : std::nullopt;
    if (!parts.contains(one) && !parts.contains(other))
      continue;
    if (!parts.contains(one) || !parts.contains(other) || parts[one] != parts[other])
      return false;
    same = true;
  }
  return same;
}

/// Returns whether two ranks that read the same rows computed other gradients of them, each of its own share.
bool compute_other_gradients(const RecordedRun& run, int64_t step, int64_t one, int64_t other) {
  const auto& all = run.trace().rank_rows();
  for (auto rows = all.lower_bound({step, Phase::grad_local, ""});
       rows != all.end() && rows->first.step == step && rows->first.phase == Phase::grad_local; ++rows) {
    const trace::RankRow *a = nullptr, *b = nullptr;
    for (const trace::RankRow& row : rows->second) {
      a = row.rank == one ? &row : a;
      b = row.rank == other ? &row : b;
    }
    if (a && b && a->digest != b->digest)
      return true;
  }
  return false;
}

}  // namespace

bool must_read_other_rows(const RecordedRun& run, int64_t step, int64_t one, int64_t other) {
  bool same = false;
  for (const auto& [at, phase] :
       {std::pair(int64_t{0}, Phase::param), {step, Phase::param}, {step, Phase::grad}})
    if (const auto parts = hold_the_same_parts(run, at, phase, one, other)) {
      if (!*parts)
        return false;
      same = true;
    }
  return same && !compute_other_gradients(run, step, one, other);
}

}  // namespace parity::laws
