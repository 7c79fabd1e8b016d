// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/checkpoints/match/finding.hpp"
#include "harness/checkpoints/views/cast.hpp"
#include "harness/tensor/roundoff.hpp"

namespace parity::checkpoints {
namespace {

bool holds(const Rule& rule, DType to) {
  return std::all_of(rule.pairs.begin(), rule.pairs.end(),
                     [&](const ViewPair& pair) { return have_equal_bits(pair, to); });
}

Gap measured(const Rule& rule, DType to, const SearchOptions& options) {
  Gap sum;
  for (const ViewPair& pair : rule.pairs)
    sum.add(measure_gap(pair, to, options.policy, options.release));
  return sum;
}

/// Returns the relative difference of the first elements of each pair, to find the closest rule cheaply.
double sampled(const Rule& rule, DType to) {
  constexpr int64_t sample = 1 << 14;
  Gap sum;
  for (const ViewPair& pair : rule.pairs)
    for_each_piece(pair.expected, pair.actual, sample, [&](const StridedView& e, const StridedView& a) {
      sum.add(measure_gap({e, a}, to, {}));
      return false;
    });
  const double gap = sum.relative_l2();
  return std::isnan(gap) ? std::numeric_limits<double>::infinity() : gap;
}

bool has_wanted_rows(const Rule& rule, Expectation::Rows rows) {
  using Rows = Expectation::Rows;
  if (rows == Rows::any || rows == Rows::same)
    return rows == Rows::any || !rule.permutes;
  return rule.permutes && rule.to_pairs == (rows == Rows::to_pairs);
}

bool is_wanted(const Rule& rule, const Expectation& expectation) {
  if (expectation.only_as_is)
    return rule.kind == RuleKind::as_is;
  if (!rule.fits_shapes)
    return false;
  using Groups = Expectation::Groups;
  if (expectation.groups != Groups::any &&
      (rule.kind == RuleKind::grouped) != (expectation.groups == Groups::grouped))
    return false;
  const bool square = rule.kind == RuleKind::transposed && !rule.pairs.empty() &&
                      rule.pairs[0].expected.shape == transpose(rule.pairs[0].expected).shape;
  return (!square || expectation.square_too) && has_wanted_rows(rule, expectation.rows);
}

/// Returns why a rule that holds is not the one that the names call for.
std::string surprise(const Rule& found, const Expectation& expectation) {
  if (expectation.rows > Expectation::Rows::same && !found.permutes)
    return fmt::format(
        "equal {}, but the names of the sides stand for different orders of rows: the permutation for RoPE "
        "is missing",
        found.text.empty() ? "as it is" : "after: " + found.text);
  if (!found.fits_shapes)
    return "equal after: " + found.text +
           ", which keeps the bytes in their order: a transposition is missing";
  const bool wrong_groups =
      expectation.groups != Expectation::Groups::any &&
      (found.kind == RuleKind::grouped) != (expectation.groups == Expectation::Groups::grouped);
  if (wrong_groups)
    return fmt::format("equal {}, but the names of the sides stand for {}",
                       found.text.empty() ? "as it is" : "after: " + found.text,
                       expectation.groups == Expectation::Groups::grouped
                           ? "rows of q, k and v grouped by key head"
                           : "all rows of q, then k, then v");
  if (found.permutes)
    return "equal after: " + found.text + "; the sides order the rows of heads differently";
  return "equal after: " + found.text;
}

/// Returns what the rows say that only one side has: "" if they are zero padding of a vocabulary.
std::string padding_problem(const Rule& rule, const Role& role) {
  const StridedView& rest = rule.rest;
  std::vector<std::byte> first(size_of(rest.dtype));
  gather(split(slice(flatten(rest), 0, 0, 1), 0, {1}), first.data());
  const bool zero = is_constant(rest) &&
                    std::all_of(first.begin(), first.end(), [](std::byte b) { return b == std::byte{0}; });
  if (!zero)
    return fmt::format("the first rows are equal, and the {} more rows are not zero", rest.shape[0]);
  if (role.part() != "embedding" && role.part() != "output")
    return "the common rows are equal, but only a vocabulary is padded";
  return "";
}

/// Returns what a cast makes of finite elements beyond rounding; "" if nothing.
std::string overflow_text(const Gap& gap, DType to) {
  return gap.overflowed == 0 ? ""
                             : fmt::format("{} of {} elements are finite, and infinite in {}", gap.overflowed,
                                           gap.count, name_of(to));
}

/// Returns what a cast makes zero, if that is more of the tensor's norm than rounding may change.
std::string underflow_problem(const Gap& gap, DType to) {
  const double most = unit_roundoff(to);
  return !(gap.underflow_share() > most)
             ? ""
             : fmt::format(
                   "{} of {} elements are not zero, and zero in {}: {:.2g} of the norm, and rounding loses "
                   "at most {:.2g}",
                   gap.underflowed, gap.count, name_of(to), gap.underflow_share(), most);
}

class Search {
 public:
  Search(Finding& finding, const std::vector<Rule>& rules, const Expectation& expectation,
         const SearchOptions& options)
      : finding_(finding), rules_(rules), expectation_(expectation), options_(options) {}

  void run() {
    const Item &e = finding_.expected.front(), &a = finding_.actual.front();
    const std::optional<Cast> cast = cast_of(e, a);
    if (!cast || rules_.empty())
      return refuse(e, a, cast.has_value());
    cast_ = *cast;
    finding_.bits_only = !e.type.has_values;
    if (e.type.name != a.type.name)
      finding_.cast = fmt::format("{} to {}", e.type.name, a.type.name);
    if (const Rule* expected = find(true))
      return take(*expected);
    if (const Rule* unexpected = find(false))
      return be_surprised(*unexpected);
    take_closest();
  }

  void take(const Rule& rule) {
    describe(rule);
    const bool stacks = rule.kind == RuleKind::as_is &&
                        finding_.expected.front().from_stack != finding_.actual.front().from_stack;
    if (stacks)
      finding_.rule = "one of a stack";
    finding_.verdict = cast_.rounds                                                       ? Verdict::rounded
                       : rule.kind == RuleKind::as_is && !stacks && finding_.cast.empty() ? Verdict::identical
                                                                                          : Verdict::equal;
    finding_.by_name_only = proves_nothing(rule);
    finding_.gap = last_ == &rule ? last_gap_ : measured(rule, cast_.to, options_);
    finding_.has_gap = true;
    if (!finding_.gap.equal())
      be_different("every bit is equal, but NaN agrees with nothing; --equal-nan accepts it");
    if (const std::string problem = underflow_problem(finding_.gap, cast_.to); !problem.empty())
      be_different(problem);
    if (rule.kind == RuleKind::padded)
      if (const std::string problem = padding_problem(rule, finding_.role()); !problem.empty())
        be_different(problem);
  }

 private:
  /// Returns how the dtypes are compared; nothing if they cannot be.
  static std::optional<Cast> cast_of(const Item& e, const Item& a) {
    if (e.type.name == a.type.name)
      return Cast{e.type.dtype};
    if (!e.type.has_values || !a.type.has_values)
      return {};
    return cast_between(e.type.dtype, a.type.dtype);
  }

  /// Returns whether the values obey other rules as well: all are the same, or permuted rows are.
  bool proves_nothing(const Rule& rule) const {
    const bool constant = std::all_of(rule.pairs.begin(), rule.pairs.end(),
                                      [](const ViewPair& pair) { return is_constant(pair.expected); });
    return constant || (rule.permutes && std::any_of(rules_.begin(), rules_.end(), [&](const Rule& other) {
                          return other.kind == RuleKind::as_is && holds(other, cast_.to);
                        }));
  }

  void refuse(const Item& e, const Item& a, bool casts) {
    be_different(casts
                     ? fmt::format("shape {} against {}, and no known rule fits", to_string(e.view.shape),
                                   to_string(a.view.shape))
                     : fmt::format("{} against {}, and no cast makes them equal", e.type.name, a.type.name));
  }

  /// Returns the first rule that holds, of those that are expected or not; null if there is none.
  const Rule* find(bool wanted) {
    for (const Rule& rule : rules_)
      if (is_wanted(rule, expectation_) == wanted && is_proven(rule))
        return &rule;
    return nullptr;
  }

  /// The plain arrangement is measured at once, so that equal tensors are read once.
  bool is_proven(const Rule& rule) {
    if (rule.kind != RuleKind::as_is)
      return holds(rule, cast_.to);
    last_gap_ = measured(rule, cast_.to, options_);
    last_ = &rule;
    return last_gap_.equal() || (options_.policy.strict() && holds(rule, cast_.to));
  }

  void be_surprised(const Rule& found) {
    take_closest();
    be_different(surprise(found, expectation_));
    finding_.unexpected = found;
  }

  void take_closest() {
    const Rule* closest = nullptr;
    double least = 0;
    for (const Rule& rule : rules_) {
      if (!is_wanted(rule, expectation_) && !(closest == nullptr && &rule == &rules_.back()))
        continue;
      const double gap = rules_.size() == 1 ? 0 : sampled(rule, cast_.to);
      if (closest == nullptr || gap < least) {
        closest = &rule;
        least = gap;
      }
    }
    describe(*closest);
    finding_.gap = last_ == closest ? last_gap_ : measured(*closest, cast_.to, options_);
    finding_.has_gap = true;
    const std::string overflow = overflow_text(finding_.gap, cast_.to);
    const std::string rule = closest->text.empty() ? "" : "not equal by any rule; closest: " + closest->text;
    be_different(overflow.empty() || rule.empty() ? overflow + rule : rule + "; " + overflow);
  }

  void describe(const Rule& rule) {
    finding_.kind = rule.kind;
    finding_.rule = rule.text;
    finding_.permutes = rule.permutes;
    finding_.head = rule.head;
    finding_.transposes = rule.transposes;
  }

  void be_different(std::string why) {
    finding_.verdict = Verdict::different;
    finding_.note = std::move(why);
  }

  Finding& finding_;
  const std::vector<Rule>& rules_;
  const Expectation& expectation_;
  const SearchOptions& options_;
  Cast cast_;
  const Rule* last_ = nullptr;  ///< the rule of last_gap_
  Gap last_gap_;
};

}  // namespace

std::string Finding::names(const std::vector<Item>& side) {
  std::string text;
  for (const Item& item : side)
    text += (text.empty() ? "" : " + ") + item.name;
  return text;
}

std::string Finding::title() const {
  return names(expected.empty() ? actual : expected);
}

std::string Finding::place() const {
  for (const Item& item : expected) {
    const auto bytes =
        static_cast<std::ptrdiff_t>(item.view.size()) * static_cast<std::ptrdiff_t>(size_of(item.view.dtype));
    const bool inside =
        !std::less<>{}(gap.worst, item.view.data) && std::less<>{}(gap.worst, item.view.data + bytes);
    if (gap.worst == nullptr || !inside)
      continue;
    const auto index = (gap.worst - item.view.data) / static_cast<std::ptrdiff_t>(size_of(item.view.dtype));
    if (item.view.shape.empty())
      return item.name;
    return fmt::format("{}[{}]", item.name, fmt::join(coordinates(item.view.shape, index), ", "));
  }
  return "";
}

Finding search(std::vector<Item> expected, std::vector<Item> actual, const std::vector<Rule>& rules,
               const Expectation& expectation, const SearchOptions& options) {
  Finding finding;
  finding.expected = std::move(expected);
  finding.actual = std::move(actual);
  Search(finding, rules, expectation, options).run();
  return finding;
}

void accept_unexpected(Finding& finding, const SearchOptions& options) {
  const std::vector<Rule> rules = {*finding.unexpected};
  const std::vector<Item> expected = finding.expected, actual = finding.actual;
  finding = search(expected, actual, rules, {.square_too = true}, options);
}

}  // namespace parity::checkpoints
