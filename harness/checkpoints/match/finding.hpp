// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/base/enum_names.hpp"
#include "harness/checkpoints/match/rule.hpp"

namespace parity::checkpoints {

/// What was found about tensors that belong together.
enum class Verdict {
  identical,  ///< the same bits in the same arrangement, perhaps under another name
  equal,      ///< the same bits or values after a rule
  rounded,    ///< the same bits after a cast to the narrower dtype
  different,  ///< no rule makes them equal
  one_sided,  ///< the other side has no such tensor
};

constexpr auto enum_names(Verdict) {
  return named<Verdict::one_sided>("verdict",
                                   {"identical", "equal", "rounded", "different", "one side only"});
}

/// Tensors of both sides that belong together: one and one, or one and its parts.
struct Finding {
  std::vector<Item> expected, actual;
  Verdict verdict = Verdict::different;
  /// The rule that holds. If none does, the closest one.
  RuleKind kind = RuleKind::as_is;
  std::string rule;  ///< its text; "" if the arrangement is the same
  bool permutes = false, transposes = false;
  int64_t head = 0;  ///< rows of a head that the rule permutes
  std::string cast;  ///< "F32 to BF16"; "" without a cast
  Gap gap;           ///< under the rule
  bool has_gap = false;
  bool bits_only = false;     ///< the dtype has no ULPs here
  bool by_values = false;     ///< paired by equal bits alone, under names that say nothing
  bool by_name_only = false;  ///< other rules hold too, as all elements or rows are the same
  std::string note;           ///< why it is different, or what to know
  /// A rule that makes the sides equal, but that names and shapes do not call for.
  std::optional<Rule> unexpected = {};

  bool agrees() const { return verdict < Verdict::different; }
  const Role& role() const { return (expected.empty() ? actual : expected).front().role; }
  /// Returns the names of one side, joined by " + ".
  static std::string names(const std::vector<Item>& side);
  /// Returns the names of the expected side, or of the only one.
  std::string title() const;
  /// Returns "name[3, 4]", the element of the expected side that differs most; "" if nothing differs.
  std::string place() const;
};

/// How a search may explain a pair.
struct Expectation {
  enum class Rows { any, same, to_pairs, to_halves } rows = Rows::any;
  enum class Groups { any, concatenated, grouped } groups = Groups::any;
  /// Both sides claim the same arrangement, as two tensors of one name and shape do.
  bool only_as_is = false;
  bool square_too = false;  ///< whether a square matrix may be transposed, which its shape does not show
};

/// Everything that measurements need besides the tensors.
struct SearchOptions {
  measure::DifferencePolicy policy = {};
  Release release = {};
};

/// Searches the rules for one that holds, and measures it; else measures the closest.
Finding search(std::vector<Item> expected, std::vector<Item> actual, const std::vector<Rule>& rules,
               const Expectation& expectation, const SearchOptions& options);

/// Makes a finding agree by its unexpected rule.
void accept_unexpected(Finding& finding, const SearchOptions& options);

}  // namespace parity::checkpoints
