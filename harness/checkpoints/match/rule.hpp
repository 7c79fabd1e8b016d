// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/checkpoints/files/stored_tensor.hpp"
#include "harness/checkpoints/match/role.hpp"
#include "harness/checkpoints/views/gap.hpp"

namespace parity::checkpoints {

/// A tensor of a checkpoint, or one expert of a stacked tensor.
struct Item {
  std::string name;        ///< as in the file; an expert's is "w1[3]"
  std::string match;       ///< the name that is looked up on the other side
  bool is_mapped = false;  ///< whether the user renamed it
  Role role;
  StridedView view;
  StoredType type;
  bool from_stack = false;  ///< whether it is one expert of a stacked tensor
};

/// What a rule does to the expected side.
enum class RuleKind {
  as_is,
  reshaped,
  rows_permuted,
  transposed,
  padded,
  concatenated,
  grouped,
  tied,
  causal_mask,
  one_sided
};

constexpr auto enum_names(RuleKind) {
  return named<RuleKind::one_sided>("rule", {"as_is", "reshaped", "rows_permuted", "transposed", "padded",
                                             "concatenated", "grouped", "tied", "causal_mask", "one_sided"});
}

/// A claim that tensors of two sides hold the same numbers in another arrangement.
struct Rule {
  RuleKind kind = RuleKind::as_is;
  std::string text;  ///< "transposed", "rows permuted within heads of 64, halves to pairs (RoPE)", ...
  std::vector<ViewPair> pairs;
  bool permutes = false;    ///< whether it permutes the rows of heads
  bool transposes = false;  ///< whether it swaps rows and columns
  StridedView rest = {};    ///< rows that only one side has; empty if there are none
  int64_t head = 0;         ///< rows of a head that it permutes
  bool to_pairs = false;    ///< whether it permutes from halves to pairs
  bool fits_shapes = true;  ///< false: a reshape that no split or merge of dimensions explains
};

/// Returns the rules that fit the shapes of two tensors, the simplest first.
std::vector<Rule> rules_for_pair(const Item& expected, const Item& actual);

/// Returns the rules that fit one tensor and the parts that it holds, such as q, k and v.
/// \param fused_is_expected  whether the expected side has the one tensor
std::vector<Rule> rules_for_parts(const Item& fused, const std::vector<const Item*>& parts,
                                  bool fused_is_expected);

}  // namespace parity::checkpoints
