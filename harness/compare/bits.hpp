// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/compare/check.hpp"
#include "harness/compare/series.hpp"
#include "harness/compare/tensor_gap.hpp"

namespace parity {

/// The two sides of a claim that bits agree, as sentences name them.
struct BitsClaim {
  std::string expected_name;  ///< "one_indexed", "the golden"
  std::string actual_name;
  std::string holds;  ///< the whole sentence if it does
  std::string fails;  ///< the phrase if it does not: "differs from one_indexed's"
};

/// A channel on both sides; values are paired by position.
struct SeriesPair {
  std::string channel;
  Series expected;
  Series actual;
};

/// Verdict `identical` if every pair has the same bits everywhere, else `different` with the place where they
/// part first, both values in full, their distance, and the likely cause where the values show one.
CheckResult judge_series_bits(const std::vector<SeriesPair>& pairs, const BitsClaim& claim);

/// A tensor on both sides.
struct SourcePair {
  TensorSource expected;
  TensorSource actual;
};

/// The same for tensors, with a row for each. Of the first step at which one differs, the sentence names the
/// tensor with the largest relative gap.
CheckResult judge_tensor_bits(const std::vector<SourcePair>& pairs, const BitsClaim& claim);

}  // namespace parity
