// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/coverage/pairs.hpp"
#include "harness/coverage/propose/proposed_case.hpp"
#include "harness/coverage/validation.hpp"

namespace parity::coverage {

/// Pairs of features, the smaller index first.
using PairSet = std::set<std::pair<size_t, size_t>>;

/// Draws cases at random, and chooses those that cover pairs with few runs.
class Proposer {
 public:
  /// \param pairs  of a survey: which pairs the trainer refuses, and which no arm has
  Proposer(const std::vector<Pair>& pairs, Validator validate, uint64_t seed);

  /// Returns up to `most` cases, each the best of many draws: the most new pairs for its cost. Later cases
  /// aim at pairs that the earlier ones do not have.
  std::vector<ProposedCase> cover(size_t most);
  /// Returns valid cases of one draw each, whatever pairs they have.
  std::vector<ProposedCase> draw(size_t count);
  /// Returns the same with other seeds, sizes and layouts (variation.hpp).
  std::vector<ProposedCase> draw_varied(size_t count);
  /// Returns the allowed pairs that neither the suite nor the cases proposed so far have.
  const PairSet& wanted() const { return wanted_; }

 private:
  struct Choice;
  bool allowed(size_t one, size_t other) const;
  size_t gain(size_t feature, const std::vector<size_t>& others) const;
  bool add(Choice& choice, size_t feature, const std::vector<size_t>& others);
  void fill(Choice& choice, const std::vector<size_t>& others, size_t most, bool execution);
  ProposedCase draw_case();
  std::vector<ProposedCase> keep_valid(std::vector<ProposedCase> cases) const;
  bool shorten_refused(std::vector<ProposedCase>& cases) const;

  std::vector<std::vector<bool>> allowed_;
  PairSet wanted_;
  Validator validate_;
  std::mt19937_64 random_;
};

/// Returns the pairs of features that the arms of a case have.
PairSet pairs_of(const ProposedCase& proposed);

}  // namespace parity::coverage
