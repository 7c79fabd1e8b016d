// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/operators/minimise.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/operators/judge/judge.hpp"
#include "harness/operators/problem/reproducer.hpp"
#include "harness/operators/problem/values.hpp"
#include "harness/suite/cases/operators/arms.hpp"
#include "harness/suite/derived/extra_arms.hpp"

namespace parity::bisect {
namespace fs = std::filesystem;
namespace {

using operators::InputValues;
using operators::Point;
using operators::Problem;

constexpr size_t most_candidates = 64;  // of one round
constexpr size_t most_rounds = 24;
constexpr const char* candidate_symbol = "candidate";

int64_t elements_of(const Problem& problem, const Point& point) {
  int64_t count = 0;
  for (const operators::Input& input : problem.inputs)
    for (const operators::TensorSpec& tensor : input.tensors)
      count += element_count(tensor.shape_at(point));
  return count;
}

int64_t not_zero(const InputValues& values) {
  int64_t count = 0;
  for (const auto& [name, tensors] : values)
    for (const auto& tensor : tensors)
      count += std::ranges::count_if(tensor, [](double value) { return value != 0; });
  return count;
}

/// Returns whether a row shows that the arms differ, and not that something is missing.
bool fails(const results::OperatorRow& row) {
  return !row.passed && (row.verdict == "different" || row.verdict == "imprecise");
}

/// Returns a sentence without the number of a candidate: that symbol is not a size of the operator.
std::string without_candidate(std::string sentence) {
  const std::string name = std::string(candidate_symbol) + " = ";
  for (size_t at = sentence.find(name); at != std::string::npos; at = sentence.find(name, at))
    sentence.erase(at, sentence.find(", ", at) + 2 - at);
  return sentence;
}

/// The search of one case.
class Search {
 public:
  Search(const suite::Case& source, const suite::RunSettings& settings, Progress& progress)
      : source_(source), settings_(settings), progress_(progress) {}

  SmallestFailure run() {
    if (!find_check())
      return result_;
    shrink_sizes();
    values_ = operators::values_at(problem_, point_);
    shrink_values();
    simplify_values();
    keep();
    return result_;
  }

 private:
  /// Returns the results of a check for a problem.
  std::vector<compare::CheckResult> judged(const Problem& problem, const std::vector<size_t>& checks) {
    ++result_.rounds;
    const suite::ArmRuns runs = suite::run_arms(suite::with_problem(source_, problem), settings_, progress_);
    std::vector<compare::CheckResult> results;
    for (const size_t check : checks)
      results.push_back(operators::judge(source_.checks[check], problem, runs.evidence.arms()));
    return results;
  }

  /// Finds the first check that fails because arms differ, and a point where it does.
  bool find_check() {
    std::vector<size_t> all;
    for (size_t i = 0; i < source_.checks.size(); ++i)
      all.push_back(i);
    problem_ = *source_.problem;
    const auto results = judged(problem_, all);
    for (const size_t check : all) {
      const compare::CheckResult& one = results[check];
      if (one.verdict == compare::Verdict::crashed)
        throw UserError("cannot make an input smaller (" + one.sentence + ")", ExitCode::crashed);
      if (one.passed || !one.errors || source_.checks[check].relation == compare::Relation::distinct)
        continue;
      const auto points = failing_points(one);
      if (points.empty())
        continue;
      result_.found = true;
      result_.check = check;
      result_.sentence = one.sentence;
      point_ = smallest(points);
      result_.first_point = point_.text();
      result_.first_elements = elements_of(problem_, point_);
      return true;
    }
    result_.sentence = "no check fails because its arms differ, so bisect has no input to minimise";
    return false;
  }

  /// Returns the points at which a check of the current problem fails.
  std::vector<Point> failing_points(const compare::CheckResult& result) const {
    std::set<std::string> names;
    for (const results::OperatorRow& row : result.errors->rows)
      if (fails(row))
        names.insert(row.point);
    std::vector<Point> points;
    for (const Point& point : problem_.points)
      if (names.contains(point.text()))
        points.push_back(point);
    return points;
  }

  Point smallest(const std::vector<Point>& points) const {
    return *std::ranges::min_element(points, {},
                                     [&](const Point& point) { return elements_of(problem_, point); });
  }

  /// Asks about points. \return those at which the check still fails
  std::vector<Point> still_failing(std::vector<Point> points) {
    problem_.points = std::move(points);
    const compare::CheckResult result = judged(problem_, {result_.check}).front();
    if (!result.errors)
      throw UserError("cannot make the input smaller (" + result.sentence + ")", ExitCode::crashed);
    std::vector<Point> left = failing_points(result);
    if (!left.empty())
      result_.sentence = without_candidate(result.sentence);
    return left;
  }

  /// Makes the sizes smaller, until no smaller candidate fails.
  void shrink_sizes() {
    while (result_.rounds < most_rounds) {
      std::vector<Point> candidates;
      for (const auto& [symbol, size] : point_.sizes)
        for (const int64_t smaller :
             {int64_t{1}, int64_t{2}, int64_t{3}, size / 8, size / 4, size / 2, size - 1})
          if (smaller >= 1 && smaller < size) {
            Point point = point_;
            point.sizes[symbol] = smaller;
            const bool is_new = std::ranges::none_of(
                candidates, [&](const Point& other) { return other.text() == point.text(); });
            if (is_new && candidates.size() < most_candidates)
              candidates.push_back(std::move(point));
          }
      if (candidates.empty())
        return;
      const std::vector<Point> left = still_failing(candidates);
      if (left.empty())
        return;
      point_ = smallest(left);
    }
  }

  /// An element of an input whose values may change.
  struct Element {
    std::string input;
    size_t item = 0, index = 0;
  };

  std::vector<Element> elements_left() const {
    std::vector<Element> elements;
    for (const operators::Input& input : problem_.inputs)
      for (size_t item = 0; item < input.tensors.size(); ++item)
        if (is_floating(input.tensors[item].dtype_at(point_)))
          for (size_t index = 0; index < values_.at(input.name)[item].size(); ++index)
            if (values_.at(input.name)[item][index] != 0)
              elements.push_back({input.name, item, index});
    return elements;
  }

  /// Returns the number of the first of several inputs for which the check fails; nothing if none does.
  std::optional<size_t> first_failing(const std::vector<InputValues>& candidates) {
    const fs::path file = settings_.out / "reproducers" / "candidates.h5";
    write_candidates(file, candidates);
    const Problem before = problem_;
    for (operators::Input& input : problem_.inputs)
      for (size_t item = 0; item < input.tensors.size(); ++item) {
        operators::TensorSpec& spec = input.tensors[item];
        spec.file = fs::absolute(file).string();
        spec.from = fmt::format("{}.{}.{{{}}}", input.name, item, candidate_symbol);
        spec.scale = 1;
        spec.shift = 0;
      }
    std::vector<Point> points(candidates.size(), point_);
    for (size_t i = 0; i < points.size(); ++i)
      points[i].sizes[candidate_symbol] = static_cast<int64_t>(i);
    const std::vector<Point> left = still_failing(points);
    problem_ = before;
    if (left.empty())
      return std::nullopt;
    return static_cast<size_t>(left.front().sizes.at(candidate_symbol));
  }

  /// Writes the candidates' inputs to a trace. Its name holds the round, since the identity of a run has it.
  void write_candidates(const fs::path& file, const std::vector<InputValues>& candidates) {
    Problem all;
    InputValues values;
    for (const operators::Input& input : problem_.inputs)
      for (size_t item = 0; item < input.tensors.size(); ++item)
        for (size_t i = 0; i < candidates.size(); ++i) {
          operators::Input one{fmt::format("{}.{}.{}", input.name, item, i)};
          one.tensors.push_back(input.tensors[item]);
          values[one.name].push_back(candidates[i].at(input.name)[item]);
          all.inputs.push_back(std::move(one));
        }
    operators::write_reproducer(file, all, point_, values);
  }

  /// Sets parts of the inputs to 0, as long as the check fails: whole parts first, then smaller ones.
  void shrink_values() {
    for (size_t parts = 2; result_.rounds < most_rounds;) {
      const std::vector<Element> left = elements_left();
      parts = std::min(parts, left.size());
      if (parts < 2)
        return;
      std::vector<InputValues> candidates;
      for (const bool keeps : {true, false})
        for (size_t part = 0; part < parts && candidates.size() < most_candidates; ++part) {
          candidates.push_back(values_);
          for (size_t i = 0; i < left.size(); ++i)
            if ((i * parts / left.size() == part) != keeps)
              candidates.back().at(left[i].input)[left[i].item][left[i].index] = 0;
        }
      if (const auto found = first_failing(candidates)) {
        values_ = candidates[*found];
        parts = *found < parts ? 2 : parts;
      } else if (parts == left.size() || parts >= most_candidates / 2) {
        return;
      } else {
        parts *= 2;
      }
    }
  }

  /// Rounds all values to one significant bit, or to integers, if the check fails for these as well.
  void simplify_values() {
    InputValues powers = values_, ones = values_;
    for (const Element& element : elements_left()) {
      const double value = values_.at(element.input)[element.item][element.index];
      powers.at(element.input)[element.item][element.index] =
          std::copysign(std::ldexp(1.0, std::ilogb(value)), value);
      ones.at(element.input)[element.item][element.index] = std::copysign(1.0, value);
    }
    const std::vector<InputValues> candidates = {ones, powers};
    if (const auto found = first_failing(candidates))
      values_ = candidates[*found];
  }

  void keep() {
    std::error_code ignored;
    fs::remove(settings_.out / "reproducers" / "candidates.h5", ignored);
    std::string name = source_.name;
    std::ranges::replace(name, '/', '-');
    result_.file = settings_.out / "reproducers" / (name + ".h5");
    operators::write_reproducer(result_.file, problem_, point_, values_);
    result_.lines = operators::reproducer_lines(fs::absolute(result_.file).string(), problem_, point_);
    result_.point = point_.text();
    result_.elements = elements_of(problem_, point_);
    result_.not_zero = not_zero(values_);
  }

  const suite::Case& source_;
  const suite::RunSettings& settings_;
  Progress& progress_;
  SmallestFailure result_ = {};
  Problem problem_ = {};
  Point point_ = {};
  InputValues values_ = {};
};

}  // namespace

Json SmallestFailure::to_json() const {
  return {{"found", found},
          {"check", check + 1},
          {"sentence", sentence},
          {"point", point},
          {"first_point", first_point},
          {"elements", elements},
          {"not_zero", not_zero},
          {"first_elements", first_elements},
          {"rounds", rounds},
          {"file", file.string()},
          {"lines", lines}};
}

SmallestFailure minimise(const suite::Case& source, const suite::RunSettings& settings, Progress& progress) {
  require(source.problem.has_value(), "a case without an operator");
  return Search(source, settings, progress).run();
}

}  // namespace parity::bisect
