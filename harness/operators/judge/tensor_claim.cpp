// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/judge/tensor_claim.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/json/number.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/compare/twins/collapse.hpp"
#include "harness/compare/twins/rounding_size.hpp"
#include "harness/operators/judge/beyond_norm.hpp"
#include "harness/operators/judge/ulp.hpp"
#include "harness/operators/judge/worst_element.hpp"

namespace parity::operators {
namespace {

using compare::Relation;
using compare::Verdict;

TensorJudgement differs(std::string text, Verdict verdict = Verdict::different) {
  TensorJudgement result;
  result.verdict = verdict;
  result.text = std::move(text);
  result.severity = std::numeric_limits<double>::infinity();
  return result;
}

/// Returns the judgement of a side that no number can be compared with. It is not the other computation that
/// `distinct` claims.
TensorJudgement unusable(const compare::Check& check, std::string text) {
  return differs(std::move(text),
                 check.relation == Relation::distinct ? Verdict::missing : Verdict::different);
}

bool same_bits(double a, double b) {
  return !std::isnan(a) && std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

/// Returns the first element whose bits differ; the size if there is none.
size_t first_difference(const Values& a, const Values& b) {
  size_t i = 0;
  while (i < a.size() && same_bits(a.value[i], b.value[i]))
    ++i;
  return i;
}

std::string values_text(const TensorSides& sides, size_t element) {
  return fmt::format("{}: {:.9g} against {:.9g}",
                     sides.a->shape.empty() ? "the value" : "first " + index_text(sides.a->shape, element),
                     sides.b->value[element], sides.a->value[element]);
}

/// Returns what makes the tensors incomparable: another shape, or another dtype; "" if nothing does.
std::string other_form(const Values& a, const Values& b) {
  if (a.shape != b.shape)
    return fmt::format("its shape is [{}] in place of [{}]", fmt::join(b.shape, ", "),
                       fmt::join(a.shape, ", "));
  if (a.dtype != b.dtype)
    return fmt::format("its dtype is {} in place of {}", name_of(b.dtype), name_of(a.dtype));
  return "";
}

/// Returns where a side is not finite; "" if all values are.
std::string non_finite(const std::string& name, const Values& values) {
  const auto found = std::ranges::find_if(values.value, [](double value) { return !std::isfinite(value); });
  if (found == values.value.end())
    return "";
  const auto place = static_cast<size_t>(found - values.value.begin());
  return fmt::format("{} has {} at {}", name, *found,
                     values.shape.empty() ? "its only element" : index_text(values.shape, place));
}

TensorJudgement judge_bits(const TensorSides& sides, bool details) {
  TensorJudgement result;
  const size_t first = first_difference(*sides.a, *sides.b);
  size_t count = 0;
  for (size_t i = first; i < sides.a->size(); ++i)
    count += !same_bits(sides.a->value[i], sides.b->value[i]);
  result.passed = count == 0;
  result.verdict = result.passed ? Verdict::identical : Verdict::different;
  result.severity = static_cast<double>(count);
  result.measured = {{"differing", count}};
  result.limit = {{"differing", 0}};
  if (result.passed)
    return result;
  result.element = first;
  result.text =
      fmt::format("{} of {} elements differ, {}", count, sides.a->size(), values_text(sides, first));
  if (details && is_floating(sides.a->dtype))
    result.errors = ulp_errors(*sides.b, *sides.a, sides.a->dtype);
  return result;
}

/// The allowed rounding in a dtype. That of float64 counts where no twin can show more digits.
compare::RoundingModel model_of(DType dtype) {
  compare::RoundingModel model = compare::rounding_model(dtype);
  if (dtype == DType::float64) {
    model.dtype = dtype;
    model.roundoff = 0x1p-53;
  }
  return model;
}

/// Returns a text about a gap in float32, which is one in the dtype of the arms here.
std::string in_dtype(std::string text, DType dtype) {
  const std::string float32 = "in float32";
  for (size_t at = text.find(float32); at != std::string::npos; at = text.find(float32, at + 1))
    text.replace(at, float32.size(), fmt::format("in {}", name_of(dtype)));
  return text;
}

/// Returns the evidence of a verdict: the collapse of the gap, or what the arms lose.
std::string distances_text(const TensorSides& sides, const compare::RoundingSize& size, bool by_twins,
                           Verdict verdict) {
  if (!by_twins && (verdict == Verdict::different || verdict <= Verdict::rounding))
    return fmt::format("{} and {} are {} and {} {} roundings from the exact result", sides.name_a,
                       sides.name_b, compare::size_text(size.roundings_of_a()),
                       compare::size_text(size.roundings_of_b()), name_of(size.model_a.dtype));
  if (verdict == Verdict::different || verdict <= Verdict::rounding)
    return in_dtype(compare::CollapseRule().explain(size.collapse), size.model_a.dtype);
  return compare::RoundingSizeRule().explain(size, sides.name_a, sides.name_b);
}

/// Returns the verdict on arms of one arithmetic from their distances from each other and from the truth.
TensorJudgement judge_distances(const TensorSides& sides, compare::RoundingSize size, bool by_twins,
                                const std::optional<double>& allowed) {
  size.model_a = size.model_b = model_of(sides.dtype);
  size.factor = allowed.value_or(1);
  const compare::CollapseRule rule;
  const compare::RoundingSizeRule by_size;
  TensorJudgement result;
  const bool same = first_difference(*sides.a, *sides.b) == sides.a->size();
  const bool collapses = !by_twins || rule.accepts(size.collapse);
  result.verdict = collapses ? by_size.judge(size) : Verdict::different;
  if (!by_twins && result.verdict == Verdict::vacuous)
    result.verdict = Verdict::different;  // one arm alone cannot be vacuous
  if (same && result.verdict == Verdict::rounding)
    result.verdict = Verdict::identical;
  result.passed = result.verdict <= Verdict::rounding;
  result.measured = {{"gap", json_number(size.collapse.gap32)},
                     {"roundings_a", json_number(size.roundings_of_a())},
                     {"roundings_b", json_number(size.roundings_of_b())}};
  result.limit = {{"roundings_a", json_number(by_size.limit_of_a(size))},
                  {"roundings_b", json_number(by_size.limit_of_b(size))}};
  if (by_twins) {
    result.measured["gap64"] = json_number(size.collapse.gap64);
    result.measured["collapse_log2"] = json_number(size.collapse.log2_ratio());
  }
  result.severity = by_twins && result.verdict == Verdict::different
                        ? size.collapse.relative64()
                        : std::max(size.roundings_of_a(), size.roundings_of_b());
  result.text = distances_text(sides, size, by_twins, result.verdict);
  return result;
}

TensorJudgement judge_equivalence(const compare::Check& check, const TensorSides& sides, bool details) {
  for (const auto& [name, values] : {std::pair{sides.name_a, sides.a}, std::pair{sides.name_b, sides.b}})
    if (std::string text = non_finite(name, *values); !text.empty())
      return unusable(check, std::move(text));
  compare::RoundingSize size;
  const bool by_twins = sides.a64 != nullptr && sides.b64 != nullptr;
  const Values* truth_a = by_twins ? sides.a64 : sides.exact;
  const Values* truth_b = by_twins ? sides.b64 : truth_a;
  if (truth_a == nullptr)
    return differs(
        "there is neither a float64 twin of both arms nor an exact reference; name one with exact = "
        "\"...\" in [operator]",
        Verdict::missing);
  if (truth_a->shape != sides.a->shape || truth_b->shape != sides.b->shape)
    return differs(fmt::format("{} has another shape than the tensor",
                               by_twins ? "its float64 twin" : "the exact result"));
  size.collapse = {distance(*sides.a, *sides.b), by_twins ? distance(*sides.a64, *sides.b64) : 0,
                   norm(*truth_a)};
  size.distance_a = distance(*sides.a, *truth_a);
  size.distance_b = distance(*sides.b, *truth_b);
  TensorJudgement result = judge_distances(sides, size, by_twins, check.imprecision);
  if (check.relation == Relation::equivalent) {
    const double roundoff = model_of(sides.dtype).roundoff, factor = check.imprecision.value_or(1);
    judge_elements(sides, *truth_a, *truth_b, roundoff, factor, result);
    judge_factor(sides, *truth_a, *truth_b, roundoff, factor, result);
  }
  if (!by_twins && check.relation == Relation::distinct && result.verdict == Verdict::imprecise)
    result.verdict = Verdict::different;  // without twins, more than rounding is all that can be claimed
  if (!details)
    return result;
  result.errors = ulp_errors(*sides.b, *truth_a, sides.a->dtype);
  result.element = result.errors->worst;
  return result;
}

/// Returns a / b: how many times b a is. Equal zeros give 1.
double ratio(double a, double b) {
  return a == b ? 1 : a / b;
}

/// The errors of a tensor, of the correctly rounded result and of the plain implementation: ||x - exact||_2.
struct ErrorNorms {
  double own = 0, best = 0, plain = 0;

  double reference() const { return std::max(best, plain); }
};

ErrorNorms error_norms(const TensorSides& sides, const Values& best) {
  ErrorNorms norms{distance(*sides.b, *sides.exact), distance(best, *sides.exact), 0};
  norms.plain = sides.plain != nullptr ? distance(*sides.plain, *sides.exact) : norms.best;
  return norms;
}

/// Returns "largest 12 ULP (7e-07 of the value), 99.9 % within 9, mean 2; in norm, 3 times ...".
std::string accuracy_text(const UlpErrors& errors, const ErrorNorms& norms, const Values& exact,
                          DType dtype) {
  const double value = std::fabs(exact.value.empty() ? 0 : exact.value.at(errors.worst));
  return fmt::format(
      "largest {:.4g} ULP ({}), 99.9 % within {:.4g}, mean {:.3g}; in norm {:.3g} times the correctly "
      "rounded "
      "result's error, {:.3g} times the plain implementation's",
      errors.largest,
      value == 0 ? std::string("of the largest value, at one that is exactly 0")
                 : fmt::format("{:.2g} of the value", errors.largest * ulp_at(dtype, value) / value),
      errors.most, errors.mean, ratio(norms.own, norms.best), ratio(norms.own, norms.plain));
}

/// Returns how many times the plain implementation's error is allowed where the case does not say it: 2, and
/// 3 for 16 bits. PyTorch's own comparison of a result with a float64 reference allows as much.
double default_times(DType dtype) {
  return dtype == DType::float32 || dtype == DType::float64 ? 2 : 3;
}

/// Fails a judgement if one element lost more than the plain implementation's worst explains.
/// \param factor  by which the case raises the limit of the norm, and so that of an element
void judge_worst(const TensorSides& sides, DType dtype, double factor, TensorJudgement& result) {
  const double roundoff = model_of(dtype).roundoff;
  const WorstElement own = worst_element(*sides.b, *sides.exact, roundoff);
  const WorstElement plain =
      sides.plain != nullptr ? worst_element(*sides.plain, *sides.exact, roundoff) : WorstElement();
  result.measured["worst"] = json_number(own.roundings);
  result.measured["worst_plain"] = json_number(plain.roundings);
  if (!result.passed || !stands_out(own, plain, factor))
    return;
  result.passed = false;
  result.verdict = Verdict::imprecise;
  result.element = own.element;
  result.text = fmt::format(
      "{} is {:.9g} in place of {:.9g}, {} {} roundings away, and no element of the plain implementation is "
      "more "
      "than {} away",
      sides.b->shape.empty() ? "the value" : "element " + index_text(sides.b->shape, own.element),
      sides.b->value[own.element], sides.exact->value[own.element], compare::size_text(own.roundings),
      name_of(dtype), compare::size_text(plain.roundings));
}

TensorJudgement judge_accuracy(const compare::Check& check, const TensorSides& sides) {
  const compare::OperatorClaim& claim = *check.of_operator;
  if (sides.exact == nullptr)
    return differs("the arm exact recorded no result of it", Verdict::missing);
  const DType dtype = sides.b->dtype;
  if (std::string text = other_form({dtype, sides.exact->shape}, *sides.b); !text.empty())
    return differs(std::move(text));
  const UlpErrors errors = ulp_errors(*sides.b, *sides.exact, dtype);
  const ErrorNorms norms = error_norms(sides, correctly_rounded(*sides.exact, dtype));
  const double times = claim.times.value_or(default_times(dtype));
  const double allowed = times * norms.reference();
  // A claim of a largest error, or of a least one, takes the place of the comparison with the plain kernel.
  const bool by_norm = claim.times || (!claim.ulp && !claim.ulp_at_least);
  TensorJudgement result;
  result.errors = errors;
  result.element = errors.worst;
  result.passed = std::isfinite(errors.largest) && (!by_norm || norms.own <= allowed) &&
                  (!claim.ulp || errors.largest <= *claim.ulp);
  result.verdict = !std::isfinite(errors.largest) ? Verdict::different
                   : errors.largest == 0          ? Verdict::identical
                   : result.passed                ? Verdict::rounding
                                                  : Verdict::imprecise;
  result.measured = {{"ulp", json_number(errors.largest)},
                     {"ulp_999", json_number(errors.most)},
                     {"ulp_mean", json_number(errors.mean)},
                     {"times_best", json_number(ratio(norms.own, norms.best))},
                     {"times_plain", json_number(ratio(norms.own, norms.plain))}};
  if (claim.ulp)
    result.limit["ulp"] = *claim.ulp;
  if (by_norm)
    result.limit["times_plain"] = json_number(ratio(allowed, norms.plain));
  result.severity = by_norm ? ratio(norms.own, norms.reference()) : errors.largest;
  result.text = accuracy_text(errors, norms, *sides.exact, dtype);
  if (by_norm)
    judge_worst(sides, dtype, std::max(1.0, times / default_times(dtype)), result);
  return result;
}

/// Returns whether an integer output, such as an index, is the exact one.
TensorJudgement integer_accuracy(TensorSides sides) {
  if (sides.exact == nullptr)
    return differs("the arm exact recorded no result of it", Verdict::missing);
  sides.a = sides.exact;
  if (sides.a->shape != sides.b->shape)
    return differs(other_form(*sides.a, *sides.b));
  return judge_bits(sides, false);
}

}  // namespace

TensorJudgement judge_tensor(const compare::Check& check, const TensorSides& sides, bool details) {
  if (check.relation == Relation::accurate)
    return is_floating(sides.b->dtype) ? judge_accuracy(check, sides) : integer_accuracy(sides);
  if (std::string text = other_form(*sides.a, *sides.b); !text.empty())
    return unusable(check, std::move(text));
  if (check.relation == Relation::identical || check.relation == Relation::invariant ||
      !is_floating(sides.a->dtype))
    return judge_bits(sides, details);
  return judge_equivalence(check, sides, details);
}

}  // namespace parity::operators
