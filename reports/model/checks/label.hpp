// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/results/failure_kind.hpp"
#include "reports/model/case.hpp"

/// Words for checks, their measurements and the arms of a case, which every renderer shares.
namespace parity::reports {

/// Returns whether a check compares the residues of exact twins.
inline bool is_of_exact_twins(const Check& check) {
  return check.relation == "same_function" || check.relation == "other_function";
}

/// Returns the kind of a failure after "arm NAME": "crashed", "did not start".
std::string failure_label(results::FailureKind kind);

/// Returns "relative L2", "max ULP"; for an unknown metric, its name with spaces.
std::string metric_label(const std::string& metric);

/// Returns the bound of a metric in check.limit: "≥ 20", "≤ 4", or the number alone if its direction is
/// unknown. A gap that `distinct` claims must stay below the collapse that `equivalent` needs: "< 20".
std::string limit_label(const Check& check, const std::string& metric);

/// Returns "lagged (lag 1)".
std::string relation_label(const Check& check);

/// Returns "one_indexed, zero_indexed" or "one_indexed, golden".
std::string sides_label(const Check& check);

/// Returns "lr lagged (lag 1): one_indexed, zero_indexed; steps warmup".
std::string claim(const Check& check);

/// "step 3, layers.0.attention.wq.weight[1, 2]".
std::string place(const Place& place);

/// Returns the names of at most `most` metrics: those with a limit first, then those a reader wants first.
std::vector<std::string> headline_metrics(const Check& check, size_t most,
                                          const std::vector<std::string>& except = {});

/// Returns the metrics that the finding's distance does not show: "collapse (log2) 28.1"; "" if there are
/// none.
std::string measured_label(const Check& check, size_t most);

/// Returns "collapse ≥ 20"; "bits" if no metric is limited.
/// \param most  number of limits to name; the others are counted
std::string limits_label(const Check& check, size_t most = SIZE_MAX);

/// Returns "dp_shard 2 x tp 2" for an arm on several ranks, or their number; "" on one.
std::string mesh_label(const Arm& arm);

/// Returns mesh_label() of each arm of a case that runs on several ranks: "plain 1 rank, fsdp dp_shard 2"; ""
/// if all arms run on one.
std::string meshes_label(const Case& item);

}  // namespace parity::reports
