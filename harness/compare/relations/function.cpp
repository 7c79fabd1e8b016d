// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Relations same_function and other_function: the residues of two exact twins (reference/exact/README.md).
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "harness/base/json/fields.hpp"
#include "harness/compare/relations/relation.hpp"
#include "harness/compare/sides/residues.hpp"
#include "harness/compare/sides/window.hpp"
#include "harness/compare/tensors/gap.hpp"
#include "harness/compare/text/wording.hpp"

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
  Residues found;
  for (const trace::TensorKey& key : residue_keys(check, sides, a)) {
    if (!in_b.contains(key))
      continue;
    const TensorSource one = tensor_source(a, key), other = tensor_source(b, key);
    for (const auto& [side, source] : {std::pair(&sides[0], &one), {&sides[1], &other}})
      if (dtype_of(*source) != DType::residue64)
        throw MissingEvidence(
            fmt::format("{} recorded no residues of {} at step {}", side->name, quantity_of(key), key.step));
    const TensorGap gap = measure_tensor(one, other);
    coverage.add(0, key);
    coverage.add(1, key);
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

/// Requires a gradient and a parameter: without them, equality says nothing about training.
void require_training(const Residues& found, const std::vector<Side>& sides) {
  for (const trace::Phase phase : {trace::Phase::grad, trace::Phase::param})
    if (std::ranges::none_of(found.compared, [&](const auto& key) { return key.phase == phase; }))
      throw MissingEvidence(fmt::format("{} and {} have no {} in common; record phases grad, optim and param",
                                        sides[0].name, sides[1].name, name_of(phase)));
}

CheckResult judge_residues(const Check& check, const std::vector<Side>& sides) {
  require_same_draw(sides);
  const Side &a = sides.at(0), &b = sides.at(1);
  CheckResult result;
  const Residues found = compare_residues(check, sides, result.coverage);
  require_training(found, sides);
  result.measured = {{"tensors", found.compared.size()}, {"tensors_differing", found.differing.size()}};
  result.verdict = found.differing.empty() ? Verdict::identical : Verdict::different;
  const std::string where = over_text(steps_in(resolve(check.steps, sides), sides));
  if (found.differing.empty()) {
    result.sentence = fmt::format(
        "{} and {} compute the same function: equal residues in {} (gradients, moments and parameters) {}",
        b.name, a.name, count_text(found.compared.size(), "tensor"), where);
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

}  // namespace

CheckResult judge_same_function(const Check& check, const std::vector<Side>& sides) {
  CheckResult result = judge_residues(check, sides);
  result.passed = result.verdict == Verdict::identical;
  return result;
}

CheckResult judge_other_function(const Check& check, const std::vector<Side>& sides) {
  CheckResult result = judge_residues(check, sides);
  result.passed = result.verdict == Verdict::different;
  if (!result.passed)
    result.sentence += ": the option under test has no effect there";
  return result;
}

}  // namespace parity::compare
