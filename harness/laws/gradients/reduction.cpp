// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Law "reduction": the gradient after the reduction is the sum or the mean of the ranks' own, each once.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/laws/gradients/rank_terms.hpp"
#include "harness/laws/laws.hpp"
#include "harness/laws/run/tensor_groups.hpp"

namespace parity::laws {
namespace {

using trace::Phase;

/// Returns whether each element is `factor` times the weighted sum of the terms.
/// \param worst  set to the largest error over its bound, if all are within
bool is_sum(const RankTerms& terms, const std::vector<double>& gradient, const std::vector<double>& weights,
            double* worst = nullptr) {
  const auto rounds = static_cast<double>(terms.terms.size() + 4);
  double most = 0;
  for (size_t i = 0; i < gradient.size(); ++i) {
    double sum = 0, size = 0;
    for (size_t k = 0; k < weights.size(); ++k) {
      sum += weights[k] * terms.terms[k][i];
      size += std::abs(weights[k] * terms.terms[k][i]);
    }
    const double bound = terms.roundoff * rounds * size + 1e-44;
    if (!(std::abs(gradient[i] - sum) <= bound))
      return false;
    most = std::max(most, std::abs(gradient[i] - sum) / bound);
  }
  if (worst)
    *worst = most;
  return true;
}

std::vector<double> equal_weights(const RankTerms& terms, double factor) {
  return std::vector<double>(terms.terms.size(), factor);
}

/// A factor that trainers use, and what it means.
struct Factor {
  double value = 1;
  std::string text;
};

std::vector<Factor> known_factors(const RecordedRun& run, int64_t step, size_t ranks) {
  const auto n = static_cast<double>(ranks);
  std::vector<Factor> list = {{1, "the sum of the ranks' gradients"},
                              {1 / n, "the mean of the ranks' gradients"}};
  if (const auto tokens = run.channel("valid_tokens", step); tokens && *tokens > 1)
    list.push_back({1 / *tokens, "the sum of the ranks' gradients divided by valid_tokens"});
  for (int power = 8; power <= 24; ++power)
    list.push_back({std::ldexp(1.0, -power),
                    fmt::format("the sum of the ranks' gradients over a scale of 2^{}", power)});
  return list;
}

/// Returns the factor that most tensors of a step have; nothing if none of the known ones gives any tensor.
std::optional<Factor> common_factor(const RecordedRun& run, int64_t step, const std::vector<RankTerms>& all) {
  std::optional<Factor> best;
  int64_t most = 0;
  for (const Factor& factor : known_factors(run, step, all.front().ranks.size())) {
    int64_t fit = 0;
    for (const RankTerms& terms : all)
      fit += is_sum(terms, terms.after.front(), equal_weights(terms, factor.value));
    if (fit > most) {
      most = fit;
      best = factor;
    }
  }
  return best;
}

/// Describes weights that are not all equal, in units of the common factor.
std::string describe_weights(const RankTerms& terms, std::vector<double> weights, double unit) {
  std::string text;
  for (double& weight : weights)
    weight = std::abs(weight / unit) < 1e-4 ? 0 : weight / unit;
  const bool alike = std::ranges::all_of(weights, [&](double w) { return std::abs(w - weights[0]) < 1e-4; });
  if (alike)
    return fmt::format("it is {:.4g} times that", weights[0]);
  for (size_t k = 0; k < weights.size(); ++k) {
    if (std::abs(weights[k] - 1) < 1e-4)
      continue;
    const int64_t rank = terms.ranks[k];
    text += (text.empty() ? "" : ", ") +
            (weights[k] == 0 ? fmt::format("that of rank {} is missing", rank)
                             : fmt::format("that of rank {} counts {:.4g} times", rank, weights[k]));
  }
  return text;
}

/// Returns what a gradient is in place of the sum.
std::string explain_sum(const RankTerms& terms, size_t rank, double unit) {
  const std::vector<double>& gradient = terms.after[rank];
  for (size_t k = 0; k < terms.terms.size(); ++k)
    if (gradient == terms.terms[k])
      return fmt::format("it is rank {}'s own, not reduced", terms.ranks[k]);
  if (const auto weights = fit_weights(terms, gradient)) {
    std::vector<double> rounded = *weights;
    for (double& weight : rounded)
      if (std::abs(weight / unit - std::round(weight / unit)) < 1e-3)
        weight = unit * std::round(weight / unit);
    if (is_sum(terms, gradient, rounded) || is_sum(terms, gradient, *weights))
      return describe_weights(terms, rounded, unit);
    double mean = 0;
    for (const double weight : *weights)
      mean += weight / static_cast<double>(weights->size());
    if (is_sum(terms, gradient, equal_weights(terms, mean)))
      return describe_weights(terms, equal_weights(terms, mean), unit);
  }
  return "no weights of the ranks' gradients give it";
}

/// What is wrong at one step: explanation and rank -> tensors.
using Wrong = std::map<std::pair<std::string, int64_t>, std::set<std::string>>;

Wrong check_step(const std::vector<RankTerms>& all, double factor, Finding& finding) {
  Wrong wrong;
  for (const RankTerms& terms : all)
    for (size_t rank = 0; rank < terms.after.size(); ++rank) {
      ++finding.checked;
      double worst = 0;
      if (is_sum(terms, terms.after[rank], equal_weights(terms, factor), &worst))
        finding.largest = std::max(finding.largest, worst);
      else
        wrong[{explain_sum(terms, rank, factor), terms.ranks[rank]}].insert(terms.name);
    }
  return wrong;
}

/// Joins ranks with the same explanation.
void add_sums(const RecordedRun& run, int64_t step, const Wrong& wrong, Finding& finding) {
  std::map<std::pair<std::string, std::set<std::string>>, std::vector<int64_t>> joined;
  for (const auto& [what, names] : wrong)
    joined[{what.first, names}].push_back(what.second);
  for (const auto& [what, ranks] : joined) {
    const std::string who = describe(what.second, run.names(step, Phase::grad));
    std::string where;
    if (ranks.size() == 1)
      where = fmt::format(" on rank {}", ranks.front());
    finding.departures.push_back(
        {fmt::format("{}: the reduced gradient{} is not the sum: {}", who, where, what.first),
         step,
         who,
         ranks.size() == 1 ? std::optional(ranks.front()) : std::nullopt,
         {}});
  }
}

}  // namespace

Finding ask_reduction(const RecordedRun& run) {
  Finding finding;
  std::set<std::string> conventions;
  for (const int64_t step : run.steps()) {
    const std::vector<RankTerms> all = read_terms(run, step);
    if (all.empty())
      continue;
    const std::optional<Factor> factor = common_factor(run, step, all);
    if (factor)
      conventions.insert(factor->text);
    const Wrong wrong = check_step(all, factor ? factor->value : 1, finding);
    if (finding.departures.empty())
      add_sums(run, step, wrong, finding);
  }
  for (const std::string& text : conventions)
    finding.notes.push_back("gradients are " + text);
  if (finding.answer() == Answer::not_asked)
    finding.why = run.trace().ranks() < 2
                      ? "the trace has one rank"
                      : "no gradient was recorded on each rank before and after a reduction";
  return finding;
}

}  // namespace parity::laws
