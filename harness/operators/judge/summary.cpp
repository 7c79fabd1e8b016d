// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/operators/judge/summary.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/json/fields.hpp"
#include "harness/base/json/number.hpp"

namespace parity::operators {
namespace {

using compare::Relation;
using compare::Verdict;

/// Returns whether a judgement is the one that the sentence is about.
bool leads(const compare::Check& check, const TensorJudgement& mine, const TensorJudgement& other) {
  if (check.relation == Relation::distinct && mine.passed != other.passed)
    return !mine.passed;  // the difference that the check claims
  if (mine.passed != other.passed)
    return !mine.passed;
  if (mine.verdict != other.verdict)
    return mine.verdict > other.verdict;
  return mine.severity > other.severity;
}

bool same_values(const Values* a, const Values* b) {
  return a == nullptr || b == nullptr || (a->shape == b->shape && a->value == b->value);
}

constexpr int64_t most_rows = 48, most_columns = 64;  // cells of a picture

std::vector<int64_t> starts_of(int64_t size, int64_t most) {
  std::vector<int64_t> first;
  for (int64_t part = 0; part < std::min(size, most); ++part)
    first.push_back(part * size / std::min(size, most));
  return first;
}

/// Returns where the errors of a tensor are: the largest |error| in each cell of a grid over its rows and its
/// last dimension.
std::optional<results::TensorPicture> picture_of_errors(size_t point, const PhaseAndName& tensor,
                                                        const TensorSides& sides) {
  const Values& b = *sides.b;
  const Values* truth = sides.exact != nullptr ? sides.exact : sides.b64 != nullptr ? sides.b64 : sides.a;
  if (truth == nullptr || truth->shape != b.shape || b.value.empty())
    return std::nullopt;
  results::TensorPicture picture;
  picture.step = static_cast<int64_t>(point + 1);
  picture.phase = name_of(tensor.first);
  picture.tensor = tensor.second;
  picture.shape = b.shape;
  picture.columns = static_cast<int64_t>(b.row());
  picture.rows = static_cast<int64_t>(b.size()) / picture.columns;
  picture.row_starts = starts_of(picture.rows, most_rows);
  picture.column_starts = starts_of(picture.columns, most_columns);
  const auto rows = static_cast<int64_t>(picture.row_starts.size());
  const auto columns = static_cast<int64_t>(picture.column_starts.size());
  picture.cells.assign(picture.row_starts.size(), std::vector<double>(picture.column_starts.size(), 0.0));
  for (int64_t i = 0; i < static_cast<int64_t>(b.size()); ++i) {
    const auto place = static_cast<size_t>(i);
    const int64_t row = ((i / picture.columns + 1) * rows - 1) / picture.rows;
    const int64_t column = ((i % picture.columns + 1) * columns - 1) / picture.columns;
    double& cell = picture.cells[static_cast<size_t>(row)][static_cast<size_t>(column)];
    const double low = truth->low.empty() ? 0 : truth->low[place];
    const double error = std::fabs(b.value[place] - truth->value[place] - low);
    if (!(error <= cell))
      cell = error;  // NaN counts as the largest
  }
  return picture;
}

std::string points_text(size_t count) {
  return fmt::format("{} point{}", count, count == 1 ? "" : "s");
}

}  // namespace

Summary::Summary(const compare::Check& check, const Problem& problem)
    : check_(check), problem_(problem), controls_(check_) {
  errors_.histogram.assign(UlpErrors{}.histogram.size(), 0);
}

void Summary::add(size_t point, const PhaseAndName& tensor, const TensorSides& sides,
                  const TensorJudgement& judged) {
  ++judged_;
  differing_ += judged.verdict == Verdict::different;
  if (!judged.passed) {
    ++failed_;
    failed_points_.insert(point);
  }
  all_same_bits_ =
      all_same_bits_ && judged.verdict == Verdict::identical && same_values(sides.a64, sides.b64);
  const Point& place = problem_.points[point];
  results::OperatorRow row{place.text(),
                           {place.sizes.begin(), place.sizes.end()},
                           std::string(name_of(place.dtype)),
                           std::string(name_of(tensor.first)),
                           tensor.second,
                           judged.passed,
                           std::string(name_of(judged.verdict)),
                           nullptr,
                           nullptr};
  if (judged.errors) {
    row.largest = json_number(judged.errors->largest);
    row.mean = json_number(judged.errors->mean);
    for (size_t i = 0; i < errors_.histogram.size(); ++i)
      errors_.histogram[i] += judged.errors->histogram.at(i);
  }
  errors_.rows.push_back(std::move(row));
  errors_.against = check_.relation == Relation::accurate || sides.exact != nullptr ? "the exact result"
                    : sides.b64 != nullptr                                          ? "its float64 twin"
                                                                                    : "the expected side";
  if (lead_ && !leads(check_, judged, lead_->judged))
    return;
  errors_.picture = judged.errors ? picture_of_errors(point, tensor, sides) : std::nullopt;
  lead_ = Lead{point, tensor, judged, {}, {}, sides.b->shape};
  if (judged.element && *judged.element < sides.b->size()) {
    const Values* expected = sides.a != nullptr ? sides.a : sides.exact;
    lead_->expected = expected->value.at(*judged.element);
    lead_->actual = sides.b->value[*judged.element];
  }
}

/// Returns "ours", or "ours and formula".
std::string Summary::who() const {
  return check_.arms.size() == 1 ? check_.arms.front() : check_.arms.back() + " and " + check_.arms.front();
}

/// Returns "grad x of ours at b = 7, float32".
std::string Summary::place_of(const Lead& lead) const {
  const bool gradient = lead.tensor.first == trace::Phase::grad;
  return fmt::format("{}{} at {}", gradient ? "gradient of " : "", lead.tensor.second,
                     problem_.points[lead.point].text());
}

std::string Summary::bare_sentence() const {
  const TensorJudgement& judged = lead_->judged;
  const std::string place = place_of(*lead_), all = points_text(problem_.points.size());
  const std::string subject = check_.quantity() + " of " + who();
  switch (check_.relation) {
    case Relation::accurate:
      return judged.passed ? fmt::format("{} {} as accurate as claimed at {}: worst in {}, {}", subject,
                                         "are", all, place, judged.text)
                           : fmt::format("{} of {} is less accurate than claimed at {} of {}: {}", place,
                                         check_.arms.front(), failed_points_.size(), all, judged.text);
    case Relation::invariant:
      return judged.passed
                 ? fmt::format("{} do not depend on {}: the same bits at {}", subject,
                               check_.of_operator->axis, all)
                 : fmt::format("{} of {} depends on {}, at {} of {}: {}", place, check_.arms.front(),
                               check_.of_operator->axis, failed_points_.size(), all, judged.text);
    default:
      break;
  }
  switch (judged.verdict) {
    case Verdict::identical:
      return fmt::format("{} have the same bits at {}", subject, all);
    case Verdict::rounding:
      return fmt::format("{} differ only by rounding at {}: most in {}, {}", subject, all, place,
                         judged.text);
    case Verdict::imprecise:
      return fmt::format("{}: both follow the same mathematics, but {}; so at {} of {}", place, judged.text,
                         failed_points_.size(), all);
    case Verdict::vacuous:
      return fmt::format("{} shows nothing: {}", place, judged.text);
    default:
      break;
  }
  return check_.relation == Relation::identical
             ? fmt::format("{} of {} differs from {}'s at {} of {}: {}", place, check_.arms.back(),
                           check_.arms.front(), failed_points_.size(), all, judged.text)
             : fmt::format("{} of {} differs from {}'s by more than rounding, at {} of {}: {}", place,
                           check_.arms.back(), check_.arms.front(),
                           differing_ > 0 ? failed_points_.size() : 0, all, judged.text);
}

compare::CheckResult Summary::refused(const Obstacle& obstacle) const {
  compare::CheckResult result;
  result.verdict = obstacle.verdict;
  result.sentence = obstacle.sentence;
  return result;
}

/// Returns the result of a check for which nothing was recorded: the variants of an axis, for example.
compare::CheckResult Summary::nothing() const {
  if (check_.relation == Relation::invariant)
    return refused(
        {Verdict::missing,
         fmt::format("no point of {} has another call along {}; give the case points with two rows or "
                     "more",
                     check_.arms.front(), check_.of_operator->axis)});
  return refused({Verdict::missing, "nothing was compared"});
}

compare::CheckResult Summary::result() const {
  if (!lead_)
    return nothing();
  const TensorJudgement& judged = lead_->judged;
  const bool distinct = check_.relation == Relation::distinct;
  compare::CheckResult result;
  result.verdict = judged.verdict;
  result.passed = distinct ? differing_ > 0 && judged.verdict == Verdict::different : failed_ == 0;
  result.sentence = bare_sentence();
  result.measured = judged.measured;
  result.measured["points"] = problem_.points.size();
  result.measured["points_failed"] = failed_points_.size();
  result.limit = judged.limit;
  if (const auto& claim = *check_.of_operator; claim.ulp_at_least && result.passed) {
    const double largest = number_or(judged.measured, "ulp", HUGE_VAL);
    result.limit["ulp_at_least"] = *claim.ulp_at_least;
    if (largest < *claim.ulp_at_least) {
      result.passed = false;
      result.sentence += fmt::format("; the case states a loss of at least {:g} ULP, which did not occur",
                                     *claim.ulp_at_least);
    }
  }
  result.worst.emplace();
  result.worst->step = static_cast<int64_t>(lead_->point + 1);
  result.worst->point = problem_.points[lead_->point].text();
  result.worst->quantity = lead_->tensor.second;
  if (judged.element)
    result.worst->index = coordinates(lead_->shape, *judged.element);
  result.worst->expected = lead_->expected;
  result.worst->actual = lead_->actual;
  result.worst->metric = judged.errors ? "ulp" : "severity";
  result.worst->value = judged.errors ? judged.errors->largest : judged.severity;
  result.worst->limit = check_.of_operator->ulp.value_or(0);
  if (result.passed && check_.relation == Relation::equivalent && all_same_bits_) {
    result.passed = false;
    result.verdict = Verdict::vacuous;
    result.sentence += fmt::format(
        ", also in float64: nothing shows that {} compute differently; claim identical "
        "if that is intended",
        who());
  }
  result.errors = errors_;
  result.errors->controls = controls_.answers();
  if (const std::string weak = controls_.weakness(); !weak.empty()) {
    if (result.passed) {
      result.passed = false;
      result.verdict = Verdict::vacuous;
      result.sentence = weak + ", so it proves nothing; " + result.sentence;
    } else {
      result.more.push_back(weak);
    }
  }
  result.coverage.stated = fmt::format("{} tensors at {}", judged_, points_text(problem_.points.size()));
  return result;
}

}  // namespace parity::operators
