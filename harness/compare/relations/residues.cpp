// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The residues of two exact twins (reference/exact/README.md).
#include "harness/compare/relations/residues.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/json/fields.hpp"
#include "harness/compare/curves/series.hpp"
#include "harness/compare/sides/residues.hpp"
#include "harness/compare/sides/window.hpp"
#include "harness/compare/tensors/gap.hpp"
#include "harness/compare/text/wording.hpp"
#include "harness/tensor/shape.hpp"

namespace parity::compare {
namespace {

/// A tensor whose residues differ, and when the first side computed it.
struct Difference {
  trace::TensorKey key;
  int64_t order = 0;
  std::string mismatch;  ///< "shape (2, 3) against (3, 2)"; "" if the residues differ

  auto moment() const { return std::tuple(key.step, key.phase, order); }
};

struct Residues {
  std::vector<trace::TensorKey> compared;
  std::vector<Difference> differing;  ///< in the order of computation

  size_t differing_in(int64_t step, trace::Phase phase) const {
    return static_cast<size_t>(std::ranges::count_if(
        differing, [&](const Difference& each) { return each.key.step == step && each.key.phase == phase; }));
  }
  /// Returns the first update that was compared, or that differs.
  int64_t first_step(bool same) const { return same ? compared.front().step : differing.front().key.step; }
  size_t compared_in(int64_t step, trace::Phase phase) const {
    return static_cast<size_t>(std::ranges::count_if(
        compared, [&](const trace::TensorKey& key) { return key.step == step && key.phase == phase; }));
  }
};

int64_t order_of(const trace::Trace& trace, const trace::TensorKey& key) {
  const trace::SketchRow* row = trace.find_sketch(key);
  return row == nullptr ? 0 : row->order;
}

/// Compares every tensor that either twin recorded. A tensor that one lacks is left to the coverage of the
/// check, which finds it missing.
Residues compare_residues(const Check& check, const std::vector<Side>& sides, Coverage& coverage) {
  const trace::Trace &a = *sides[0].trace, &b = *sides[1].trace;
  const std::vector<trace::TensorKey> others = residue_keys(check, sides, b);
  const std::set<trace::TensorKey> in_b(others.begin(), others.end());
  for (const trace::TensorKey& key : others)
    coverage.add(1, key);
  Residues found;
  for (const trace::TensorKey& key : residue_keys(check, sides, a)) {
    coverage.add(0, key);
    if (!in_b.contains(key))
      continue;
    const TensorSource one = tensor_source(a, key), other = tensor_source(b, key);
    for (const auto& [side, source] : {std::pair(&sides[0], &one), {&sides[1], &other}})
      if (dtype_of(*source) != DType::residue64)
        throw MissingEvidence(
            fmt::format("{} recorded no residues of {} at step {}", side->name, quantity_of(key), key.step));
    const TensorGap gap = measure_tensor(one, other);
    found.compared.push_back(key);
    if (!gap.identical)
      found.differing.push_back({key, order_of(a, key), gap.mismatch.empty() ? gap.dtypes : gap.mismatch});
  }
  std::ranges::sort(found.differing, {}, &Difference::moment);
  return found;
}

/// Returns which part of an update the first difference points at.
std::string describe_part(const Residues& found) {
  const auto& [step, phase, name] = found.differing.front().key;
  switch (phase) {
    case trace::Phase::grad: {
      const size_t differing = found.differing_in(step, phase), all = found.compared_in(step, phase);
      return differing == all ? "every gradient differs: data, forward pass, loss or reduction"
                              : fmt::format(
                                    "{} of {} gradients differ, so most of the loss is the same: a part "
                                    "of the backward pass or of a reduction",
                                    differing, all);
    }
    case trace::Phase::grad_clipped:
      return "the gradients agree: max_norm, the norm or its epsilon";
    case trace::Phase::optim:
      return "the gradients agree: the optimizer's constants, or clipping";
    default:
      return "gradients and moments agree: learning rate, schedule, weight decay or epsilon";
  }
}

/// Returns a sentence with one residue of both twins, of a tensor that both recorded whole; "" if there is
/// none.
std::string describe_example(const Residues& found, const std::vector<Side>& sides) {
  const trace::Trace &a = *sides[0].trace, &b = *sides[1].trace;
  const bool same = found.differing.empty();
  for (const trace::TensorKey& key : found.compared) {
    if (!a.has_tensor(key) || !b.has_tensor(key) || key.step != found.first_step(same))
      continue;
    const TensorView one = a.tensor(key), other = b.tensor(key);
    const auto *x = static_cast<const uint64_t*>(one.data), *y = static_cast<const uint64_t*>(other.data);
    for (int64_t i = 0; one.shape == other.shape && i < one.size(); ++i)
      if ((x[i] == y[i]) == same)
        return fmt::format("element {} of {} at step {} is {} in {} and {} in {}, modulo {}",
                           to_string(coordinates(one.shape, i)), quantity_of(key), key.step, x[i],
                           sides[0].name, y[i], sides[1].name, text_or(draw_of(a), "prime", "?"));
  }
  return "";
}

void require_same_draw(const std::vector<Side>& sides) {
  for (const Side& side : sides)
    if (draw_of(*side.trace).is_null())
      throw MissingEvidence(
          fmt::format("{} has no residues (its dtype is {}); train it with dtype exact", side.name,
                      side.trace->config().is_object() ? text_or(side.trace->config(), "dtype", "not stated")
                                                       : "unknown"));
  if (draw_of(*sides[0].trace) != draw_of(*sides[1].trace))
    throw MissingEvidence(fmt::format(
        "{} and {} have residues of different draws, which no comparison can use; give both the same "
        "PARITY_EXACT_KEY, and models that need equally many levels",
        sides[0].name, sides[1].name));
}

/// Requires that the values, from which decisions are taken, are numbers.
void require_numbers(const Check& check, const std::vector<Side>& sides) {
  for (const int64_t step : steps_in(resolve(check.steps, sides), sides))
    for (const Side& side : sides)
      for (const auto& [name, channel] : side.trace->channels()) {
        const auto at = std::ranges::lower_bound(side.trace->steps(), step);
        const auto i = static_cast<size_t>(at - side.trace->steps().begin());
        if (at == side.trace->steps().end() || *at != step || i >= channel.as_double().size())
          continue;  // the coverage finds it missing
        if (const double value = channel.as_double()[i]; !std::isfinite(value))
          throw MissingEvidence(
              fmt::format("{} of {} is {} at step {}, and decisions were taken from it; fix the run first",
                          name, side.name, value, step));
      }
}

/// Requires that values that round otherwise did not decide otherwise before the first residue that differs:
/// which token is sampled, or, of the same function, which experts a token takes. Such twins may be one
/// function all the same.
void require_same_decisions(const Check& check, const Residues& found, const std::vector<Side>& sides) {
  if (found.differing.empty())
    return;
  for (const char* channel : {"rollout_digest", "routing_digest"}) {
    if (channel == std::string_view("routing_digest") && check.relation != Relation::same_function)
      continue;  // another choice of experts is another function too
    if (!sides[0].trace->channels().contains(channel) || !sides[1].trace->channels().contains(channel))
      continue;
    const int64_t last = found.differing.front().key.step;
    if (const auto update = first_other_value(*sides[0].trace, *sides[1].trace, channel, last))
      throw MissingEvidence(fmt::format(
          "{} and {} decide differently at step {} ({}), and values take these decisions, so residues "
          "that differ from step {} on prove nothing",
          sides[0].name, sides[1].name, *update, channel, last));
  }
}

/// Requires a gradient and a parameter: without them, equality says nothing about training.
void require_training(const Residues& found, const std::vector<Side>& sides) {
  for (const trace::Phase phase : {trace::Phase::grad, trace::Phase::param})
    if (std::ranges::none_of(found.compared, [&](const auto& key) { return key.phase == phase; }))
      throw MissingEvidence(fmt::format("{} and {} have no {} in common; record phases grad, optim and param",
                                        sides[0].name, sides[1].name, name_of(phase)));
}

}  // namespace

CheckResult judge_residues(const Check& check, const std::vector<Side>& sides) {
  if (!check.channels.empty() || check.of_tensors())
    throw MissingEvidence("a check of exact twins is about runs as a whole; name no channel and no tensor");
  require_same_draw(sides);
  require_numbers(check, sides);
  const Side &a = sides.at(0), &b = sides.at(1);
  CheckResult result;
  const Residues found = compare_residues(check, sides, result.coverage);
  require_training(found, sides);
  require_same_decisions(check, found, sides);
  result.measured = {{"tensors", found.compared.size()}, {"tensors_differing", found.differing.size()}};
  result.verdict = found.differing.empty() ? Verdict::identical : Verdict::different;
  if (const std::string example = describe_example(found, sides); !example.empty())
    result.more.push_back(example);
  const std::string where = over_text(steps_in(resolve(check.steps, sides), sides));
  if (found.differing.empty()) {
    result.sentence = fmt::format(
        "{} and {} compute the same function{}: equal residues in {} (gradients, moments and parameters) {}",
        b.name, a.name, a.trace->channels().contains("rollout_digest") ? " of given rollouts" : "",
        count_text(found.compared.size(), "tensor"), where);
    return result;
  }
  const Difference& first = found.differing.front();
  result.sentence = fmt::format(
      "{} and {} compute different functions: {} of {} have other residues {}, first {} {} at step {}{}",
      b.name, a.name, found.differing.size(), count_text(found.compared.size(), "tensor"), where,
      name_of(first.key.phase), first.key.name, first.key.step,
      first.mismatch.empty() ? "" : " (" + first.mismatch + ")");
  result.looks_like = describe_part(found);
  result.worst = WorstPlace{.step = first.key.step,
                            .quantity = first.key.name,
                            .index = {},
                            .expected = std::nullopt,
                            .actual = std::nullopt,
                            .metric = "tensors_differing",
                            .value = static_cast<double>(found.differing.size()),
                            .limit = 0};
  return result;
}

}  // namespace parity::compare
