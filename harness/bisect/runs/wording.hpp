// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "harness/bisect/runs/first_bad_update.hpp"
#include "harness/bisect/runs/local_faults.hpp"
#include "harness/bisect/traces/first_bad_operator.hpp"
#include "harness/bisect/traces/law_comparison.hpp"
#include "harness/bisect/traces/tensor_place.hpp"

namespace parity::bisect {

/// Returns the finding of a search: the first tensor that differs, with what is known of its cause and place.
/// \pre the update has such a tensor
std::string describe_first(const RunProbe& probe, const FirstBadUpdate& update,
                           const std::optional<FirstBadOperator>& guilty,
                           const std::optional<TensorPlace>& place);

/// Describes further local faults after the first tensor, the largest first; "" if there are none.
std::string describe_other_faults(const std::optional<LocalFaults>& local, const TensorStation& first);

/// Returns the finding where channels differ from step `visible` on and no tensor of that update does.
/// \param laws  what the laws say of that update
std::string sentence_without_tensor(const RunProbe& probe, const FirstBadUpdate& update, int64_t visible,
                                    const LawComparison& laws);

}  // namespace parity::bisect
