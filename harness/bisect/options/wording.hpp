// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/bisect/options/findings.hpp"

namespace parity::bisect {

/// Returns the result as a sentence: "lr.first_index = 0 alone carries the difference (lr first differs at
/// step 1, relative gap 0.5); the other 5 differences change nothing".
std::string option_sentence(const OptionFindings& found);

/// Returns the sides in words: "6 config keys differ: data.seed, lr.base, ...; looked at loss and lr over 10
/// steps".
std::string describe_sides(const OptionFindings& found);

/// Returns a round in words: "loss at step 3, relative gap 0.012, looked at up to there (gaps up to 8e-05
/// count as none): lr.base = 0.1".
std::string describe_round(const OptionFindings& found, const OptionRound& round);

/// Returns the results of two runs in words: that with only the causes on, and that with all other options
/// on.
std::string describe_verification(const OptionFindings& found);

/// Returns the caveats of the answer: noise, options that cannot be tried alone, rounding.
std::vector<std::string> option_notes(const OptionFindings& found);

}  // namespace parity::bisect
