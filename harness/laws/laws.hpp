// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/laws/law.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::laws {

/// Returns all laws, in the order in which an audit asks them.
std::span<const Law> all_laws();
/// Returns their names, in the same order.
std::vector<std::string> law_names();
/// \throws UserError for an unknown name
const Law& law_of(std::string_view name);

/// Returns the updates at which a run recorded the tensors that a law reads. A kind of tensor that the run
/// recorded nowhere does not count: the law does without it, or cannot be asked.
std::vector<int64_t> updates_with_tensors(const Law& law, const trace::Trace& trace);

/// Returns the names under which trainers record their logits, phase forward.
const std::vector<std::string>& logit_names();

// One function a law. Each has a file of its name.

Finding ask_grad_norm(const RecordedRun& run);
Finding ask_clip(const RecordedRun& run);
Finding ask_update(const RecordedRun& run);
Finding ask_schedule(const RecordedRun& run);
Finding ask_restart(const RecordedRun& run);
Finding ask_replicas(const RecordedRun& run);
Finding ask_loss(const RecordedRun& run);
Finding ask_data(const RecordedRun& run);
Finding ask_reduction(const RecordedRun& run);
Finding ask_generator(const RecordedRun& run);

}  // namespace parity::laws
