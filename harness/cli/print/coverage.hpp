// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "harness/coverage/survey.hpp"

namespace parity::cli {

/// Returns the character that stands for a state in a matrix.
char mark_of(coverage::PairState state);

/// Returns what shows the state of a pair: an arm, settings, or the trainer's refusal.
std::string evidence_text(const coverage::Pair& pair);

/// Returns the matrix of pairs, a mark for each, with the counts of arms, pairs and acts.
std::string coverage_text(const coverage::Survey& survey);

/// Returns a line for each missing pair, with settings that have both features.
std::string missing_text(const coverage::Survey& survey);

/// Returns a line for each pair of a feature: its state, and an arm, the trainer's refusal or settings.
std::string feature_text(const coverage::Survey& survey, size_t feature);

}  // namespace parity::cli
