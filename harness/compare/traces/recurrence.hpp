// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::compare {

/// How a difference between two runs of one thing comes back when the update runs again. The idea of running
/// it again, here and elsewhere, is that of Megatron-LM's rerun state machine.
enum class Recurrence {
  unknown,                ///< nothing was run again
  transient,              ///< gone: every further run has the usual bits
  persistent_here,        ///< the same wrong bits again, but not on other cores
  persistent_everywhere,  ///< the same wrong bits again, on other cores too
  nondeterministic,       ///< further runs differ among themselves
  by_design,              ///< so, at an operator that PyTorch lists as nondeterministic or random
};

constexpr auto enum_names(Recurrence) {
  return named<Recurrence::by_design>(
      "recurrence",
      {"unknown", "transient", "persistent_here", "persistent_everywhere", "nondeterministic", "by_design"});
}

/// A further run of an update, beside the usual run and the one that differed.
struct Rerun {
  std::optional<bool> is_usual;  ///< whether it has the usual run's bits; not set if nothing tells
  std::optional<bool> is_odd;    ///< whether it has the bits of the run that differed
  bool elsewhere = false;        ///< on other cores
};

/// Classifies a difference by the further runs that were made like the run that differed.
/// \param symmetric  neither of the two runs is known to be right, because both were made alike
Recurrence classify(const std::vector<Rerun>& reruns, bool symmetric);

/// Returns a sentence without a full stop: "transient: gone in 4 further runs".
std::string describe(Recurrence recurrence, const std::vector<Rerun>& reruns);

/// Returns whether two runs agree in all that both recorded up to an update, rank by rank: numeric channels,
/// and digests of tensors.
/// \param from  first update to compare; 0 is the initial state
/// \return nothing if they recorded nothing in common there
std::optional<bool> agree_until(const trace::Trace& one, const trace::Trace& other, int64_t step,
                                int64_t from = 0);

/// Returns why PyTorch itself does not promise the bits of an operator: it draws random numbers, or is in the
/// list of torch.use_deterministic_algorithms. "" for any other operator.
/// \param op  "aten::index_put_"
std::string_view reason_not_deterministic(std::string_view op);

}  // namespace parity::compare
