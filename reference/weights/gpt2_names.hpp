// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference/config/model_names.hpp"
#include "reference/weights/name_table.hpp"

namespace parity::reference {

/// Returns the names and forms of GPT-2's weights.
/// \param transposed  matrices are [columns, rows], as Hugging Face saves them; else as nanoGPT does
/// Source: transformers' GPT2LMHeadModel; nanoGPT's model.py.
NameTable gpt2_names(const ModelDimensions& dimensions, const std::vector<OwnWeight>& own, bool transposed);

}  // namespace parity::reference
