// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "reference/rl/generator/generator.hpp"

namespace parity::reference {

/// Returns the options, with a group of one rank by default.
/// \throws UserError if one is out of range, or the model cannot be batch-invariant
GeneratorOptions checked(GeneratorOptions options, const ModelDimensions& dimensions);

/// Checks that tokens are in the vocabulary.
/// \param sequence  its number, for the message
/// \throws UserError if a token is beyond the vocabulary
void check_tokens(const std::vector<int64_t>& tokens, size_t sequence, int64_t vocabulary);

/// Checks a sequence before it is generated.
/// \param new_tokens  after the prompt, at most
/// \throws UserError as Generator::generate
void check_sequence(const std::vector<int64_t>& prompt, int64_t new_tokens, size_t sequence,
                    const ModelDimensions& dimensions);

}  // namespace parity::reference
