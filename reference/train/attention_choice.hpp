// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "reference/attention/attention.hpp"
#include "reference/config/run_config.hpp"

namespace parity::reference {

/// Backend and rule for documents that a config asks for.
AttentionChoice attention_choice(const RunConfig& config);

/// Whether the channels of MaskResult say anything: the data has documents, or the backend takes a mask.
/// Causal sdpa over whole sequences always attends over B S (S + 1) / 2 pairs.
bool attention_is_recorded(const RunConfig& config);

/// Which of two marks of documents is used where the data has both, and that EOS marks nothing where packing
/// takes it out of the inputs.
/// \param positions_restart  whether documents can be seen in the positions
std::vector<std::string> document_warnings(const RunConfig& config, bool positions_restart);

}  // namespace parity::reference
