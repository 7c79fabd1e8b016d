// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <string>

#include "reference/rl/generator/generator.hpp"
#include "reference/rl/policy_trainer.hpp"

namespace parity::reference {

/// Divides the gap between the trainer's and the generator's log probabilities by its causes.
///
/// The trainer scores the same tokens with one set of weights after another: its own; its own rounded to the
/// generator's dtype; then the generator's, one part of the model more each time. Each step's cause moved the
/// scores by the mean of |difference| over the tokens that count [nats]. A part whose weights have equal bits
/// moves nothing: exactly 0. The rest, to the generator's own numbers, is arithmetic.
///
/// \param batches  the update's rows, with the generator's log probabilities
/// \param dtype    of the generator's weights
/// \return by channel: gap, gap_dtype, gap_weights (the sum of its parts), gap_arithmetic, gap.<part>
std::map<std::string, double> bill_of_gap(Trainer& trainer, const PolicyTrainer& policy,
                                          const Parameters& served, torch::ScalarType dtype,
                                          std::span<const PolicyBatch> batches);

}  // namespace parity::reference
