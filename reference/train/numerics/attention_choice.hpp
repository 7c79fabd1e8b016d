// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reference/attention/attention.hpp"
#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Returns the attention backend and the document rule that a config selects.
AttentionChoice attention_choice(const RunConfig& config);

/// Returns whether a run records MaskResult: the data has documents, or the backend takes a mask.
/// Causal sdpa over whole sequences always attends over B S (S + 1) / 2 pairs, so nothing is recorded for it.
bool attention_is_recorded(const RunConfig& config);

/// Returns warnings for two cases. Either the data marks documents in two ways, of which one is used. Or
/// packing removes EOS from the inputs, so that EOS marks nothing.
/// \param positions_restart  whether the positions mark documents
std::vector<std::string> document_warnings(const RunConfig& config, bool positions_restart);

}  // namespace parity::reference
