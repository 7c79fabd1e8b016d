// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/rl/generator/generator_checks.hpp"

#include <string>

#include "harness/base/error.hpp"

namespace parity::reference {

GeneratorOptions checked(GeneratorOptions options, const ModelDimensions& dimensions) {
  const auto at_least = [](int64_t value, int64_t least, const std::string& what) {
    if (value < least)
      throw UserError("cannot run a generator with " + what + " = " + std::to_string(value) +
                      " (it counts from " + std::to_string(least) + "); give " + std::to_string(least) +
                      " or more");
  };
  at_least(options.max_sequences, 1, "max_sequences");
  at_least(options.max_tokens, 1, "max_tokens");
  at_least(options.sliding_window, 0, "sliding_window");
  if (!(options.temperature >= 0))
    throw UserError("cannot run a generator with temperature = " + std::to_string(options.temperature) +
                    " (it divides logits); give 0 or more");
  if (!options.tensor)
    options.tensor = Group::world({}, {});
  const int64_t ranks = options.tensor->size(), pieces = options.tp_sum_pieces;
  if (options.batch_invariant && ranks > 2 && pieces == 0)
    throw UserError("cannot run a batch-invariant generator over " + std::to_string(ranks) +
                    " ranks (sums over more than 2 round in an order that depends on the number of tokens); "
                    "use 1 or 2, or set tp_sum_pieces");
  if (pieces % ranks != 0)
    throw UserError("cannot add " + std::to_string(pieces) + " pieces over " + std::to_string(ranks) +
                    " ranks (each adds as many); use a divisor");
  if (options.batch_invariant && dimensions.moe.experts > 0)
    throw UserError(
        "cannot run a batch-invariant generator of a model with experts (an expert multiplies all tokens "
        "that are sent to it at once); use a model without experts");
  return options;
}

void check_tokens(const std::vector<int64_t>& tokens, size_t sequence, int64_t vocabulary) {
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i] < 0 || tokens[i] >= vocabulary)
      throw UserError("cannot use token " + std::to_string(tokens[i]) + " at place " + std::to_string(i) +
                      " of sequence " + std::to_string(sequence) + " (the vocabulary has " +
                      std::to_string(vocabulary) + "); tokenize with the model's own tokenizer");
}

void check_sequence(const std::vector<int64_t>& prompt, int64_t new_tokens, size_t sequence,
                    const ModelDimensions& dimensions) {
  const std::string which = "sequence " + std::to_string(sequence);
  if (prompt.empty())
    throw UserError("the prompt of " + which +
                    " is empty (its first logits need a token); begin it with a token");
  check_tokens(prompt, sequence, dimensions.vocab_size);
  if (new_tokens < 1)
    throw UserError("cannot generate " + std::to_string(new_tokens) + " new tokens for " + which +
                    " (they count from 1); give 1 or more");
  const auto length = static_cast<int64_t>(prompt.size()) + new_tokens;
  if (length > dimensions.max_seq_len)
    throw UserError(which + " could have " + std::to_string(length) +
                    " tokens (the model has positions for " + std::to_string(dimensions.max_seq_len) +
                    "); shorten the prompt or max_new_tokens");
}

}  // namespace parity::reference
