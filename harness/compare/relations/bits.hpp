// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/compare/checks/check.hpp"
#include "harness/compare/curves/series.hpp"
#include "harness/compare/tensors/gap.hpp"

namespace parity::compare {

/// A claim that the bits of two sides agree, in the words of its sentences.
struct BitsClaim {
  std::string expected_name;  ///< "one_indexed", "the golden"
  std::string actual_name;
  std::string holds;  ///< the sentence if the claim holds
  /// The phrase if the claim fails: "differs from one_indexed's".
  std::string fails;
};

/// A channel of both sides; values are paired by position.
struct SeriesPair {
  std::string channel;
  Series expected;
  Series actual;
};

/// Compares channels bit by bit. The verdict is `identical` if every pair has the same bits everywhere, else
/// `different`. The sentence then gives the first difference, with both values in full, their distance, and
/// the likely cause if the values show one.
CheckResult judge_series_bits(const std::vector<SeriesPair>& pairs, const BitsClaim& claim);

/// A tensor of both sides.
struct SourcePair {
  TensorSource expected;
  TensorSource actual;
};

/// Compares tensors bit by bit, with a result row for each. At the first step with a difference, the sentence
/// names the tensor with the largest relative gap.
CheckResult judge_tensor_bits(const std::vector<SourcePair>& pairs, const BitsClaim& claim);

}  // namespace parity::compare
