// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/gradients/set_norms.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "harness/base/json/fields.hpp"
#include "harness/laws/run/rounding.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

/// Returns the sum of the sizes, or the largest size for order infinity; NaN if an element is NaN.
double gather_sizes(const std::vector<double>& values, double order) {
  double found = 0;
  for (const double value : values) {
    if (std::isnan(value))
      return value;
    found = std::isinf(order) ? std::max(found, std::abs(value)) : found + std::abs(value);
  }
  return found;
}

std::optional<SetNorm> combined_norm(const RecordedRun& run, int64_t step, Phase phase,
                                     const std::vector<std::string>& names, double order) {
  std::vector<double> norms;
  double roundoff = 0;
  int64_t elements = 0;
  for (const std::string& name : names) {
    const TensorKey key{step, phase, name};
    if (order != 2 && !run.has_values(key))
      return std::nullopt;
    const auto norm = order == 2 ? run.norm(key) : gather_sizes(run.values(key), order);
    if (!norm)
      return std::nullopt;
    norms.push_back(order == 2 ? *norm * *norm : *norm);
    elements += run.size(key);
    roundoff = std::max(roundoff, run.roundoff(key));
  }
  if (norms.empty())
    return std::nullopt;
  const double sum = gather_sizes(norms, order);
  return SetNorm{order == 2 ? std::sqrt(sum) : sum,
                 std::isinf(order) ? 2 * roundoff : norm_bound(elements, roundoff)};
}

/// What one channel is at one update.
struct JudgedNorm {
  double recorded = 0;
  SetNorm wanted;
  bool is_total = false;  ///< the L2 norm of all gradients
  bool is_sure = true;    ///< whether no gradient of the set is missing in the trace
};

/// How often the channels of a run were something else than the norm of their set.
struct Tally {
  int64_t total = 0, unsure = 0;
  std::map<std::string, std::pair<Departure, int64_t>> departures;  ///< of each channel: the first, how many
  std::map<int64_t, std::optional<SetNorm>> totals;                 ///< L2 norm of all gradients of an update
};

std::optional<SetNorm> total_norm(const RecordedRun& run, int64_t step, Tally& tally) {
  const auto [at, is_new] = tally.totals.try_emplace(step);
  if (is_new)
    at->second = combined_norm(run, step, Phase::grad, run.names(step, Phase::grad), 2);
  return at->second;
}

std::optional<JudgedNorm> judge_norm(const RecordedRun& run, int64_t step, const ClipSet& set, Tally& tally) {
  const auto recorded = run.channel(set.channel, step);
  const auto wanted = set_norm(run, step, set);
  if (!recorded || !wanted || (*recorded == 0 && run.channel("update_skipped", step).value_or(0) == 1))
    return std::nullopt;
  if (!std::isfinite(wanted->value) && !std::isfinite(*recorded))
    return std::nullopt;
  if (!wanted->agrees(*recorded))
    if (const auto total = total_norm(run, step, tally); total && total->agrees(*recorded))
      return JudgedNorm{*recorded, *total, true};
  const bool is_sure = !set.names.empty() || !(*recorded > wanted->value) ||
                       has_all_gradients(run, step, run.names(step, Phase::grad));
  return JudgedNorm{*recorded, *wanted, false, is_sure};
}

std::string departure_text(const ClipSet& set, const JudgedNorm& at) {
  const std::string what = std::isinf(set.order) ? "the largest element of"
                           : set.order == 1      ? "the norm of order 1 of"
                                                 : "the norm of";
  const std::string whose = set.names.empty() ? "the gradients" : "the gradients that its call clips";
  if (!std::isfinite(at.recorded) || !std::isfinite(at.wanted.value))
    return fmt::format("{} is {:.6g}, where {} {} is {:.6g}", set.channel, at.recorded, what, whose,
                       at.wanted.value);
  return fmt::format("{} is {:.4g} times {} {} ({:.9g} for {:.9g})", set.channel,
                     at.recorded / at.wanted.value, what, whose, at.recorded, at.wanted.value);
}

void check_set(const RecordedRun& run, const std::vector<int64_t>& steps, const ClipSet& set, Tally& tally,
               Finding& finding) {
  for (const int64_t step : steps) {
    const auto at = judge_norm(run, step, set, tally);
    if (!at)
      continue;
    tally.total += at->is_total ? 1 : 0;
    const double error = std::abs(at->recorded - at->wanted.value),
                 bound = at->wanted.bound * at->wanted.value;
    if (!at->is_sure && !(error <= bound)) {
      ++tally.unsure;
      continue;
    }
    if (finding.compare(error, bound))
      continue;
    auto& [first, count] = tally.departures[set.channel];
    if (++count == 1)
      first = Departure{departure_text(set, *at), step, "", {}, at->recorded / at->wanted.value};
  }
}

void say_why_not(double order, const Tally& tally, Finding& finding) {
  if (order != 1 && order != 2 && !(std::isinf(order) && order > 0)) {
    finding.why = fmt::format("the run clips by a norm of order {}, which this law does not compute", order);
    finding.record = "a run that clips by a norm of order 1, 2 or infinity";
    return;
  }
  finding.why = tally.unsure > 0
                    ? "grad_norm is larger than the norm of the gradients that were recorded, and "
                      "others may be missing in the trace"
                    : "no channel and gradients of a set that is clipped were recorded";
  finding.record = "the channel grad_norm, and values of the phase grad of all parameters";
}

bool moves_are_complete(const RecordedRun& run, int64_t step, const std::vector<std::string>& names) {
  const auto update_norm = run.channel("update_norm", step);
  if (!update_norm)
    return false;
  double square = 0;
  for (const std::string& name : names) {
    const TensorKey before{step - 1, Phase::param, name}, after{step, Phase::param, name};
    if (!run.has_values(before) || !run.has_values(after))
      return false;
    const std::vector<double> a = run.values(before), b = run.values(after);
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      square += (b[i] - a[i]) * (b[i] - a[i]);
  }
  return std::abs(std::sqrt(square) - *update_norm) <= 1e-4 * *update_norm;
}

bool count_is_complete(const RecordedRun& run, const std::vector<std::string>& names) {
  const Json& facts = run.trace().provenance();
  const Json parameters =
      facts.is_object() ? facts.value(Json::json_pointer("/recipe/parameters"), Json()) : Json();
  if (number_or(parameters, "count", 0) <= 0)
    return false;
  double frozen = 0;
  for (const Json& count : parameters.value("frozen", Json::object()))
    frozen += count.is_number() ? count.get<double>() : 0;
  return parameters["count"].get<double>() - frozen == static_cast<double>(names.size());
}

}  // namespace

bool has_all_gradients(const RecordedRun& run, int64_t step, const std::vector<std::string>& names) {
  return moves_are_complete(run, step, names) || count_is_complete(run, names);
}

std::optional<SetNorm> set_norm(const RecordedRun& run, int64_t step, const ClipSet& set, Phase phase) {
  if (set.order != 1 && set.order != 2 && !(std::isinf(set.order) && set.order > 0))
    return std::nullopt;
  if (set.names.empty())
    return combined_norm(run, step, phase, run.names(step, phase), set.order);
  if (!run.has_names_of_first(step, phase))
    return std::nullopt;
  return combined_norm(run, step, phase, {set.names.begin(), set.names.end()}, set.order);
}

Finding ask_set_norms(const RecordedRun& run, const std::vector<ClipPeriod>& periods) {
  Finding finding;
  Tally tally;
  std::string problem;
  size_t left = 0;
  double order = 2;
  for (const ClipPeriod& period : periods) {
    const std::string why = period.by_value
                                ? "the run clips by value, and by several norms or one of another order"
                                : period.sets.problem;
    if (!why.empty()) {
      problem = why;
      left += period.steps.size();
      continue;
    }
    order = period.sets.list.front().order;
    for (const ClipSet& set : period.sets.list)
      check_set(run, period.steps, set, tally, finding);
  }
  for (auto& [channel, found] : tally.departures) {
    if (found.second > 1)
      found.first.sentence += fmt::format("; {} updates depart like this", found.second);
    finding.departures.push_back(std::move(found.first));
  }
  if (finding.answer() == Answer::not_asked && !problem.empty()) {
    finding.why = problem;
    finding.record = "a run of one rank that clips each gradient once";
  } else if (finding.answer() == Answer::not_asked) {
    say_why_not(order, tally, finding);
  } else if (tally.unsure > 0) {
    finding.notes.push_back(
        fmt::format("{} norms are larger than those of the gradients that were recorded", tally.unsure));
  }
  if (finding.checked > 0 && left > 0)
    finding.notes.push_back(fmt::format("{} updates are not asked: {}", left, problem));
  if (tally.total > 0)
    finding.notes.push_back(fmt::format(
        "{} recorded norms are the L2 norm of all gradients, not of those of their call", tally.total));
  return finding;
}

}  // namespace parity::laws
