// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/reveal/arm.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/enum_names.hpp"
#include "harness/base/error.hpp"
#include "harness/compare/checks/check.hpp"
#include "harness/operators/judge/values.hpp"
#include "harness/operators/problem/reproducer.hpp"
#include "harness/operators/problem/values.hpp"
#include "harness/reveal/describe.hpp"
#include "harness/suite/cases/operators/arms.hpp"
#include "harness/suite/derived/extra_arms.hpp"

namespace parity::reveal {
namespace fs = std::filesystem;
namespace {

using operators::Input;
using operators::Point;
using operators::Problem;
using operators::TensorSpec;

constexpr const char* probe_symbol = "probe";
constexpr int64_t most_terms = 256;  // of a point that is chosen unasked

/// A line of a tensor: the elements along one dimension, at index 0 of the others.
struct Line {
  const Input* input;
  size_t item, dimension;

  const TensorSpec& spec() const { return input->tensors[item]; }
  size_t index(const Point& point, size_t k) const {
    const Shape shape = spec().shape_at(point);
    size_t stride = 1;
    for (size_t d = dimension + 1; d < shape.size(); ++d)
      stride *= static_cast<size_t>(shape[d]);
    return k * stride;
  }
  std::string text() const {
    std::vector<std::string> places(spec().shape.size(), "0");
    places[dimension] = ":";
    return fmt::format("{}[{}]", input->name, fmt::join(places, ", "));
  }
};

/// Returns the lines along a symbol, in the order of the inputs.
std::vector<Line> lines_along(const Problem& problem, const std::string& symbol, const Point& point) {
  std::vector<Line> lines;
  for (const Input& input : problem.inputs)
    for (size_t item = 0; item < input.tensors.size(); ++item)
      for (size_t d = 0; d < input.tensors[item].shape.size(); ++d)
        if (input.tensors[item].shape[d].symbol == symbol &&
            is_floating(input.tensors[item].dtype_at(point))) {
          lines.push_back({&input, item, d});
          break;
        }
  return lines;
}

std::vector<std::string> symbols_of(const Problem& problem) {
  std::vector<std::string> symbols;
  for (const auto& [symbol, size] : problem.points.front().sizes)
    symbols.push_back(symbol);
  return symbols;
}

/// Returns the asked symbol, or else the one that seems to be summed.
std::string chosen_symbol(const Problem& problem, const std::string& asked) {
  const std::vector<std::string> known = symbols_of(problem);
  if (asked.empty()) {
    std::string seen = operators::summed_symbol(problem);
    if (seen.empty())
      throw UserError(fmt::format("cannot see which dimension is summed; name it with --over: {}",
                                  fmt::join(known, ", ")));
    return seen;
  }
  if (std::ranges::find(known, asked) == known.end())
    throw UserError(fmt::format("the case has no dimension {}; it has {}", asked, fmt::join(known, ", ")));
  return asked;
}

/// Returns the asked point: of those in the sweep the one with most terms, up to 256, and else the fewest
/// elements.
Point chosen_point(const Problem& problem, const SumQuestion& question, const std::string& over) {
  std::vector<Point> points = problem.points;
  if (!question.dtype.empty()) {
    const DType dtype = parse_enum<DType>(question.dtype);
    for (Point& point : points)
      point.dtype = dtype;
  }
  for (Point& point : points)
    for (const auto& [symbol, size] : question.sizes) {
      if (!point.sizes.contains(symbol))
        throw UserError(fmt::format("the case has no dimension {}; it has {}", symbol,
                                    fmt::join(symbols_of(problem), ", ")));
      point.sizes[symbol] = size;
    }
  const auto rank = [&](const Point& point) {
    const int64_t terms = point.sizes.at(over);
    int64_t others = 0;
    for (const auto& [symbol, size] : point.sizes)
      others += symbol == over ? 0 : size;
    return std::pair(terms <= most_terms ? -terms : terms, others);
  };
  return *std::ranges::min_element(points, {}, rank);
}

/// Returns the case with one arm, and one check that lets it record its outputs.
suite::Case only(suite::Case source, const std::string& arm) {
  require(source.problem.has_value(), "a case without an operator");
  std::erase_if(source.arms, [&](const suite::Arm& each) { return each.name != arm; });
  require(source.arms.size() == 1, "a case without the arm " + arm);
  compare::Check outputs;
  outputs.arms = {arm};
  outputs.of_operator = compare::OperatorClaim{};
  outputs.of_operator->phases = {trace::Phase::forward};
  source.checks = {outputs};
  source.golden = {};
  source.reference = arm;
  return source;
}

/// Runs an arm on probes.
class ArmOperator {
 public:
  ArmOperator(const suite::Case& source, std::string arm, const SumQuestion& question,
              const suite::RunSettings& settings, Progress& progress)
      : source_(only(source, arm)), arm_(std::move(arm)), settings_(settings), progress_(progress) {
    const Problem& problem = *source_.problem;
    const std::string over = chosen_symbol(problem, question.over);
    point_ = chosen_point(problem, question, over);
    lines_ = lines_along(problem, over, point_);
    if (lines_.empty() || lines_.size() > 2)
      throw UserError(fmt::format("cannot reveal a sum over {} ({} tensors have it, not one or two)", over,
                                  lines_.size()));
    op_.terms = static_cast<size_t>(point_.sizes.at(over));
    op_.input = lines_[0].spec().dtype_at(point_);
    op_.multiplies = lines_.size() == 2;
    op_.results = [this](const std::vector<Summands>& all) { return results(all); };
    op_.output = op_.input;  // until the first results
  }
  ArmOperator(const ArmOperator&) = delete;
  ArmOperator& operator=(const ArmOperator&) = delete;

  const SummingOperator& op() const { return op_; }
  std::string point() const { return point_.text(); }
  std::string text() const { return lines_[0].text() + (op_.multiplies ? " by " + lines_[1].text() : ""); }

 private:
  /// Returns the problem whose points are the probes, with inputs from a file.
  Problem probes(const fs::path& file, size_t count) const {
    Problem problem = *source_.problem;
    for (Input& input : problem.inputs)
      for (size_t item = 0; item < input.tensors.size(); ++item) {
        TensorSpec& spec = input.tensors[item];
        spec.grad = false;
        if (!is_floating(spec.dtype_at(point_)))
          continue;
        spec.file = fs::absolute(file).string();
        spec.from = fmt::format("{}.{}.{{{}}}", input.name, item, probe_symbol);
        spec.scale = 1;
        spec.shift = 0;
      }
    problem.points.assign(count, point_);
    for (size_t i = 0; i < count; ++i)
      problem.points[i].sizes[probe_symbol] = static_cast<int64_t>(i);
    return problem;
  }

  void write(const fs::path& file, const std::vector<Summands>& all) const {
    Problem stored;
    operators::InputValues values;
    for (const Input& input : source_.problem->inputs)
      for (size_t item = 0; item < input.tensors.size(); ++item) {
        const TensorSpec& spec = input.tensors[item];
        if (!is_floating(spec.dtype_at(point_)))
          continue;
        const auto count = static_cast<size_t>(element_count(spec.shape_at(point_)));
        for (size_t i = 0; i < all.size(); ++i) {
          std::vector<double> tensor(count, 0.0);
          for (size_t line = 0; line < lines_.size(); ++line)
            if (lines_[line].input->name == input.name && lines_[line].item == item)
              for (size_t k = 0; k < op_.terms; ++k)
                tensor[lines_[line].index(point_, k)] = line == 0 ? all[i].x[k] : all[i].w[k];
          Input one{fmt::format("{}.{}.{}", input.name, item, i)};
          one.tensors.push_back(spec);
          values[one.name].push_back(std::move(tensor));
          stored.inputs.push_back(std::move(one));
        }
      }
    operators::write_reproducer(file, stored, point_, values);
  }

  std::vector<double> results(const std::vector<Summands>& all) {
    const fs::path file = settings_.out / "reveal" / "probes.h5";
    write(file, all);
    const suite::Case asked = suite::with_problem(source_, probes(file, all.size()));
    const suite::ArmRuns runs = suite::run_arms(asked, settings_, progress_);
    const std::vector<double> found = read(runs, all.size());
    std::error_code ignored;
    fs::remove(file, ignored);
    return found;
  }

  std::vector<double> read(const suite::ArmRuns& runs, size_t count) {
    const auto& evidence = runs.evidence.arms().at(arm_);
    if (evidence.trace == nullptr || evidence.crashed)
      throw UserError(fmt::format("cannot reveal the sum (arm {} failed: {})", arm_, evidence.failure),
                      ExitCode::crashed);
    const trace::Trace& trace = *evidence.trace;
    std::vector<double> found;
    const Problem& problem = *source_.problem;
    std::string name = operators::output_name(problem, 0, 1);
    if (trace.find_sketch({1, trace::Phase::forward, name}) == nullptr)
      name = operators::output_name(problem, 0, 2);
    for (size_t i = 0; i < count; ++i) {
      const auto values =
          operators::values_of(trace, {static_cast<int64_t>(i) + 1, trace::Phase::forward, name});
      if (!values || values->value.empty())
        throw NotRevealed(fmt::format("cannot reveal the sum (arm {} recorded no output {})", arm_, name));
      op_.output = values->dtype;
      found.push_back(values->value.front());
    }
    return found;
  }

  const suite::Case source_;
  std::string arm_;
  const suite::RunSettings& settings_;
  Progress& progress_;
  Point point_;
  std::vector<Line> lines_;
  SummingOperator op_;
};

Json tree_json(const SummationTree& tree) {
  std::vector<Json> json(tree.nodes.size());
  for (size_t leaf = 0; leaf < tree.terms; ++leaf)
    json[leaf] = leaf;
  for (const size_t node : tree.bottom_up())
    for (const size_t child : tree.nodes[node].children)
      json[node].push_back(std::move(json[child]));
  return json[tree.root];
}

}  // namespace

std::string RevealedSum::sentence() const {
  return fmt::format("{} adds {}, {}", arm, describe_order(found.tree),
                     describe_arithmetic(found.tree, arithmetic, multiplies));
}

Json RevealedSum::to_json() const {
  return {{"arm", arm},
          {"over", over},
          {"point", point},
          {"order", describe_order(found.tree)},
          {"arithmetic", describe_arithmetic(found.tree, arithmetic, multiplies)},
          {"tree", tree_json(found.tree)},
          {"scale", found.scale},
          {"probes", found.probes},
          {"predicted", prediction.right},
          {"tried", prediction.tried}};
}

RevealedSum reveal_arm(const suite::Case& source, const std::string& arm, const SumQuestion& question,
                       const suite::RunSettings& settings, Progress& progress) {
  ArmOperator asked(source, arm, question, settings, progress);
  RevealedSum result;
  result.arm = arm;
  result.over = asked.text();
  result.point = asked.point();
  result.multiplies = asked.op().multiplies;
  result.found = find_tree(asked.op());
  result.arithmetic = find_arithmetic(asked.op(), result.found.tree);
  result.prediction = predict(asked.op(), result.found.tree, result.arithmetic, result.found.scale);
  return result;
}

bool adds_alike(const RevealedSum& a, const RevealedSum& b) {
  return partial_sums(a.found.tree) == partial_sums(b.found.tree) &&
         a.arithmetic.fused == b.arithmetic.fused &&
         describe_arithmetic(a.found.tree, a.arithmetic, a.multiplies) ==
             describe_arithmetic(b.found.tree, b.arithmetic, b.multiplies);
}

std::string compare(const RevealedSum& a, const RevealedSum& b) {
  if (partial_sums(a.found.tree) != partial_sums(b.found.tree))
    return fmt::format("{} and {} add in different orders", a.arm, b.arm);
  return fmt::format("{} and {} add in the same order and round {}", a.arm, b.arm,
                     adds_alike(a, b) ? "alike" : "differently");
}

}  // namespace parity::reveal
