// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "reference/rl/generator/generator.hpp"

namespace parity::reference {

/// The options with a group of one where none is given.
/// \throws UserError if one is out of range, or the model cannot be batch-invariant
GeneratorOptions checked(GeneratorOptions options, const ModelDimensions& dimensions);

/// \param tokens    of a sequence, to be looked up
/// \param sequence  its number, for the message
/// \throws UserError if one is none of the vocabulary
void check_tokens(const std::vector<int64_t>& tokens, size_t sequence, int64_t vocabulary);

/// \param new_tokens  behind the prompt, at most
/// \throws UserError as Generator::generate
void check_sequence(const std::vector<int64_t>& prompt, int64_t new_tokens, size_t sequence,
                    const ModelDimensions& dimensions);

}  // namespace parity::reference
