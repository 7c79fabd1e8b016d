// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Law "reduction": a rank's gradient is the sum or mean of its micro-batches', and the gradient after the
// reduction that of the ranks', each once.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/laws/gradients/sum_terms.hpp"
#include "harness/laws/laws.hpp"
#include "harness/laws/run/tensor_groups.hpp"

namespace parity::laws {
namespace {

using trace::Phase;

/// A factor that trainers use, and what it means.
struct Factor {
  double value = 1;
  std::string text;
};

std::vector<Factor> known_factors(const RecordedRun& run, int64_t step, const SumTerms& terms) {
  const std::string sum = fmt::format("the sum of the {}' gradients", terms.many);
  std::vector<Factor> list = {{1, sum},
                              {1 / static_cast<double>(terms.terms.size()),
                               fmt::format("the mean of the {}' gradients", terms.many)}};
  if (const auto tokens = run.channel("valid_tokens", step); tokens && *tokens > 1)
    list.push_back({1 / *tokens, sum + " divided by valid_tokens"});
  for (int power = 8; power <= 24; ++power)
    list.push_back({std::ldexp(1.0, -power), fmt::format("{} over a scale of 2^{}", sum, power)});
  return list;
}

/// Returns the factor that most tensors of a step have; nothing if none of the known ones gives any tensor.
std::optional<Factor> common_factor(const std::vector<Factor>& factors, const std::vector<SumTerms>& all) {
  std::optional<Factor> best;
  int64_t most = 0;
  for (const Factor& factor : factors) {
    int64_t fit = 0;
    for (const SumTerms& terms : all)
      fit += is_sum(terms, terms.sums.front().values, factor.value);
    if (fit > most) {
      most = fit;
      best = factor;
    }
  }
  return best;
}

/// Returns the factors that a config of parity-train allows for micro-batches: every loss is divided before
/// backward, so their gradients are summed. Only gradient_scaling divides the sum by the tokens that count,
/// after the reduction, which a run of one rank does not show apart.
std::vector<Factor> allowed_factors(const RecordedRun& run, const std::vector<Factor>& known) {
  const std::string rule = run.config_text("loss.normalization");
  if (rule.empty())
    return known;
  std::vector<Factor> allowed = {known.front()};
  if (rule == "gradient_scaling" && run.trace().ranks() == 1)
    for (const Factor& factor : known)
      if (factor.text.ends_with("valid_tokens"))
        allowed.push_back(factor);
  return allowed;
}

/// What is wrong at one step: explanation and rank -> tensors.
using Wrong = std::map<std::pair<std::string, int64_t>, std::set<std::string>>;

Wrong check_step(const std::vector<SumTerms>& all, double factor, Finding& finding) {
  Wrong wrong;
  for (const SumTerms& terms : all)
    for (const SumTerms::Sum& sum : terms.sums) {
      ++finding.checked;
      double worst = 0;
      if (is_sum(terms, sum.values, factor, &worst))
        finding.largest = std::max(finding.largest, worst);
      else
        wrong[{explain_sum(terms, sum.values, factor), sum.rank}].insert(terms.name);
    }
  return wrong;
}

/// Joins ranks with the same explanation.
/// \param what  is wrong, with a place for the rank: "the reduced gradient{} is not the sum"
void add_sums(const RecordedRun& run, int64_t step, const Wrong& wrong, const char* what, Finding& finding) {
  std::map<std::pair<std::string, std::set<std::string>>, std::vector<int64_t>> joined;
  for (const auto& [place, names] : wrong)
    joined[{place.first, names}].push_back(place.second);
  for (const auto& [place, ranks] : joined) {
    const std::string who = describe(place.second, run.names(step, Phase::grad));
    const bool of_one = ranks.size() == 1 && run.trace().ranks() > 1;
    const std::string where = of_one ? fmt::format(" on rank {}", ranks.front()) : "";
    finding.departures.push_back(
        {fmt::format("{}: {}: {}", who, fmt::format(fmt::runtime(what), where), place.first),
         step,
         who,
         of_one ? std::optional(ranks.front()) : std::nullopt,
         {}});
  }
}

/// Asks one of the two sums at every step. \param conventions  receives the factors that were found
template <class Read, class Allow>
void ask_sums(const RecordedRun& run, const Read& read, const Allow& allow, const char* what,
              std::set<std::string>& conventions, Finding& finding) {
  const size_t before = finding.departures.size();
  for (const int64_t step : run.steps()) {
    const std::vector<SumTerms> all = read(step);
    if (all.empty())
      continue;
    const std::optional<Factor> factor = common_factor(allow(known_factors(run, step, all.front())), all);
    if (factor)
      conventions.insert(factor->text);
    const Wrong wrong = check_step(all, factor ? factor->value : 1, finding);
    if (finding.departures.size() == before)
      add_sums(run, step, wrong, what, finding);
  }
}

/// Notes an update with other micro-batches than the config says.
void count_micro_batches(const RecordedRun& run, int64_t step, const std::vector<SumTerms>& all,
                         Finding& finding) {
  const auto wanted = run.config_number("data.micro_batches");
  if (!wanted || all.empty())
    return;
  const auto found = static_cast<double>(all.front().numbers.size());
  if (!finding.compare(std::abs(found - *wanted), 0) && finding.departures.empty())
    finding.departures.push_back(
        {fmt::format(
             "update {} sums the gradients of {} micro-batches, where the config's data.micro_batches "
             "is {}",
             step, found, *wanted),
         step,
         "",
         {},
         {}});
}

}  // namespace

Finding ask_reduction(const RecordedRun& run) {
  Finding finding;
  std::set<std::string> conventions, left_out;
  ask_sums(
      run,
      [&](int64_t step) {
        std::vector<SumTerms> all = terms_of_micro_batches(run, step, left_out);
        count_micro_batches(run, step, all, finding);
        return all;
      },
      [&](const std::vector<Factor>& known) { return allowed_factors(run, known); },
      "the gradient{} is not the sum of the micro-batches'", conventions, finding);
  ask_sums(
      run, [&](int64_t step) { return terms_of_ranks(run, step); },
      [](const std::vector<Factor>& known) { return known; }, "the reduced gradient{} is not the sum",
      conventions, finding);
  for (const std::string& text : conventions)
    finding.notes.push_back("gradients are " + text);
  if (const std::set<std::string> all = run.all_names(Phase::grad); !left_out.empty())
    finding.notes.push_back(fmt::format("not all micro-batches were recorded of {}",
                                        describe(left_out, {all.begin(), all.end()})));
  if (finding.answer() == Answer::not_asked)
    finding.why = run.trace().ranks() < 2
                      ? "the trace has one rank, and no gradients of single micro-batches"
                      : "no gradient was recorded on each rank before and after a reduction";
  return finding;
}

}  // namespace parity::laws
