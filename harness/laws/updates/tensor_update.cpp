// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/updates/tensor_update.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/laws/updates/elements.hpp"
#include "harness/laws/updates/optimizer_class.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

Vector values_or_none(const RecordedRun& run, const TensorKey& key) {
  return run.has_values(key) ? run.values(key) : Vector();
}

/// Returns what the optimizer counted for a parameter. Its state is made with its first gradient, which an
/// expert or a layer that was frozen may get late: the counter is then 1 and was not there before.
UpdateCounter read_counter(const RecordedRun& run, int64_t step, const std::string& parameter) {
  const auto read = [&](int64_t at) -> std::optional<double> {
    const Vector values = values_or_none(run, {at, Phase::optim, "step/" + parameter});
    return values.size() == 1 ? std::optional(values.front()) : std::nullopt;
  };
  UpdateCounter counter{read(step - 1), read(step)};
  if (!counter.before && (step == 1 || counter.after == 1.0))
    counter.before = 0;
  return counter;
}

/// Returns the state before an update: recorded, or zeros before the first of its parameter.
Vector state_before(const RecordedRun& run, const TensorUpdate& data, const std::string& name, size_t size) {
  Vector before = values_or_none(run, {data.step - 1, Phase::optim, name});
  const bool is_first = data.step == 1 || read_counter(run, data.step, data.name).before == 0.0;
  if (before.empty() && is_first && size > 0)
    before.assign(size, 0.0);
  return before;
}

bool has_state(const RecordedRun& run, int64_t step, const std::string& name) {
  return std::ranges::binary_search(run.names(step, Phase::optim), name);
}

void read_state(const RecordedRun& run, TensorUpdate& data, const std::string& first,
                const std::string& second) {
  data.first_after = values_or_none(run, {data.step, Phase::optim, first});
  data.first_before = state_before(run, data, first, data.first_after.size());
  data.state_roundoff = run.roundoff({data.step, Phase::optim, first});
  if (second.empty())
    return;
  data.second_after = values_or_none(run, {data.step, Phase::optim, second});
  data.second_before = state_before(run, data, second, data.second_after.size());
}

/// Reads Adafactor's moments, if the run has them. \return whether it has
bool read_adafactor(const RecordedRun& run, TensorUpdate& data) {
  if (has_state(run, data.step, "variance/" + data.name)) {
    read_state(run, data, "variance/" + data.name, "");
    return true;
  }
  const std::string row = "row_var/" + data.name, column = "col_var/" + data.name;
  if (!has_state(run, data.step, row) || !has_state(run, data.step, column))
    return false;
  FactoredMoments& own = data.factored;
  own.row_after = values_or_none(run, {data.step, Phase::optim, row});
  own.row_before = state_before(run, data, row, own.row_after.size());
  own.column_after = values_or_none(run, {data.step, Phase::optim, column});
  own.column_before = state_before(run, data, column, own.column_after.size());
  data.state_roundoff = run.roundoff({data.step, Phase::optim, row});
  return true;
}

/// Returns whether an update may have clipped its gradients: a trainer that records their norm does so unless
/// the limit is known and the norm is below it.
bool may_clip(const RecordedRun& run, int64_t step) {
  const auto norm = run.channel("grad_norm", step), limit = run.max_norm(step);
  if (!norm || (limit && *limit <= 0))
    return false;
  return !limit || !(*norm <= *limit);
}

std::string word_of_optimizer(const RecordedRun& run) {
  for (const char* key : {"optimizer.name", "optimizer.type", "optimizer", "optim"})
    if (const std::string word = run.config_text(key); !word.empty() && word.front() != '{')
      return word;
  return "";
}

/// Returns whether a parameter moved by a multiple of its momentum, as SGD moves it. Muon's step has another
/// direction. The momentum's own rounding is far below a thousandth of it.
bool moves_along_momentum(const TensorUpdate& data) {
  const auto moved = [&](size_t i) { return data.before[i] - data.after[i]; };
  const auto momentum = [&](size_t i) { return data.first_after[i]; };
  const double factor = best_factor(data.before.size(), momentum, moved);
  double left = 0, all = 0;
  for (size_t i = 0; i < data.before.size(); ++i) {
    left += std::pow(moved(i) - factor * momentum(i), 2);
    all += std::pow(moved(i), 2);
  }
  return left <= 1e-6 * all;
}

/// Returns whether a momentum is Muon's. Without a name of the optimizer, its values show it.
bool is_muon(const TensorUpdate& data, const std::string& word, const std::string& optimizer) {
  if (names_muon(word) || names_muon(optimizer))
    return true;
  return word.empty() && !names_sgd(optimizer) && data.dimensions == 2 && averages_gradients(data) &&
         !moves_along_momentum(data);
}

/// Returns whether an optimizer without any recorded state is SGD, by what the run says of itself.
bool is_plain_sgd(const RecordedRun& run, int64_t step, const std::string& word,
                  const std::string& optimizer) {
  if (!run.names(step, Phase::optim).empty() || names_muon(optimizer) ||
      optimizer.find("dafactor") != std::string::npos)
    return false;
  const bool has_betas = run.setting(step, {"beta1", "optimizer.beta1", "adam_beta1"}).has_value();
  return word.find("sgd") == 0 || word.find("SGD") == 0 || (word.empty() && !has_betas);
}

/// Returns the kind of optimizer by its class if that has a rule of its own, else by its state; without a
/// state, by what the run says of itself.
OptimizerKind find_kind(const RecordedRun& run, TensorUpdate& data, const std::string& optimizer) {
  if (has_other_rule(optimizer) || has_other_state(run, data.step, data.name))
    return OptimizerKind::unknown;
  if (has_state(run, data.step, "exp_avg/" + data.name) &&
      has_state(run, data.step, "exp_avg_sq/" + data.name)) {
    read_state(run, data, "exp_avg/" + data.name, "exp_avg_sq/" + data.name);
    data.largest = values_or_none(run, {data.step, Phase::optim, "max_exp_avg_sq/" + data.name});
    return OptimizerKind::adam;
  }
  if (read_adafactor(run, data))
    return OptimizerKind::adafactor;
  const std::string word = word_of_optimizer(run);
  for (const char* kind : {"momentum/", "momentum_buffer/"})
    if (has_state(run, data.step, kind + data.name)) {
      read_state(run, data, kind + data.name, "");
      return is_muon(data, word, optimizer) ? OptimizerKind::muon : OptimizerKind::sgd;
    }
  return is_plain_sgd(run, data.step, word, optimizer) ? OptimizerKind::sgd : OptimizerKind::unknown;
}

}  // namespace

int64_t TensorUpdate::updates() const {
  return counter.before ? static_cast<int64_t>(*counter.before) + 1 : step - skipped;
}

bool TensorUpdate::is_left_alone() const {
  return gradient.empty() && unclipped.empty() && before == after && first_before == first_after &&
         second_before == second_after && factored.row_before == factored.row_after &&
         factored.column_before == factored.column_after && counter.before == counter.after;
}

TensorUpdate read_update(const RecordedRun& run, int64_t step, const std::string& name,
                         const std::string& optimizer) {
  TensorUpdate data{.name = name, .step = step};
  TensorKey before{step - 1, Phase::param, name}, after{step, Phase::param, name};
  const std::string master = "master/" + name;
  if (run.has_values({step - 1, Phase::optim, master}) && run.has_values({step, Phase::optim, master})) {
    before = {step - 1, Phase::optim, master};
    after = {step, Phase::optim, master};
  }
  if (!run.has_values(before) || !run.has_values(after))
    return data;
  data.before = run.values(before);
  data.after = run.values(after);
  data.dimensions = run.dimensions(after);
  data.shape = run.trace().tensor(after).shape;
  data.roundoff = run.roundoff(after);
  data.unclipped = values_or_none(run, {step, Phase::grad, name});
  data.gradient = values_or_none(run, {step, Phase::grad_clipped, name});
  if (data.gradient.empty() && !may_clip(run, step))
    data.gradient = data.unclipped;
  data.kind = find_kind(run, data, optimizer);
  data.counter = read_counter(run, step, name);
  for (Vector* each : {&data.gradient, &data.unclipped, &data.first_before, &data.first_after,
                       &data.second_before, &data.second_after, &data.largest})
    if (each->size() != data.after.size())
      each->clear();
  if (data.before.size() != data.after.size())
    data.before.clear();
  return data;
}

Complaint describe_elements(const std::string& quantity, const ElementFit& fit, size_t size) {
  if (static_cast<size_t>(fit.off) * 2 > size)
    return {fmt::format("no known formula gives {}", quantity)};
  return {fmt::format("{} of {} elements of {} are not what the formula gives, the first at {}", fit.off,
                      size, quantity, fit.first)};
}

}  // namespace parity::laws
