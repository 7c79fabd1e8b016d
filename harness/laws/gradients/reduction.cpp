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
#include <fmt/ranges.h>

#include "harness/laws/gradients/hand_clipping.hpp"
#include "harness/laws/gradients/micro_batch_terms.hpp"
#include "harness/laws/gradients/rank_terms.hpp"
#include "harness/laws/gradients/sum_factors.hpp"
#include "harness/laws/gradients/sum_terms.hpp"
#include "harness/laws/laws.hpp"
#include "harness/laws/run/tensor_groups.hpp"

namespace parity::laws {
namespace {

using trace::Phase;

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
    const bool of_one = ranks.size() == 1 && ranks.front() >= 0 && run.trace().ranks() > 1;
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
    const bool is_skipped = run.channel("update_skipped", step).value_or(0) == 1;
    if (all.empty() || (is_skipped && !std::ranges::all_of(all, &SumTerms::is_finite)))
      continue;
    const std::vector<Factor> allowed = allow(step, known_factors(run, step, all.front()));
    const std::optional<Factor> factor = common_factor(allowed, all);
    if (factor)
      conventions.insert(factor->text);
    const Wrong wrong = check_step(all, factor.value_or(allowed.front()).value, finding);
    if (finding.departures.size() == before)
      add_sums(run, step, wrong, what, finding);
  }
}

/// Returns the number of recorded parts of each micro-batch of a sum, by number and rank.
std::map<std::pair<int64_t, int64_t>, int64_t> count_parts(const SumTerms& terms) {
  std::map<std::pair<int64_t, int64_t>, int64_t> parts;
  for (const TermOf& each : terms.of)
    ++parts[{each.number, each.rank}];
  return parts;
}

/// Compares a number of an update with the config's.
void compare_count(int64_t step, int64_t found, double wanted, const std::string& what, const char* key,
                   Finding& finding) {
  if (!finding.compare(std::abs(static_cast<double>(found) - wanted), 0) && finding.departures.empty())
    finding.departures.push_back(
        {fmt::format("update {} sums the gradients of {} {}, where the config's {} is {}", step, found, what,
                     key, wanted),
         step,
         "",
         {},
         {}});
}

/// Notes an update with other micro-batches than the config says, or with fewer pieces of one.
void count_micro_batches(const RecordedRun& run, int64_t step, const std::vector<SumTerms>& all,
                         Finding& finding) {
  if (all.empty())
    return;
  if (const auto wanted = run.config_number("data.micro_batches")) {
    std::set<int64_t> numbers;
    for (const TermOf& each : all.front().of)
      numbers.insert(each.number);
    compare_count(step, static_cast<int64_t>(numbers.size()), *wanted, "micro-batches", "data.micro_batches",
                  finding);
  }
  const auto pieces = run.config_number("parallel.pp_microbatches");
  if (!pieces || run.config_number("parallel.pp").value_or(1) < 2)
    return;
  for (const SumTerms& terms : all)
    for (const auto& [place, parts] : count_parts(terms))
      if (static_cast<double>(parts) < *pieces)
        compare_count(step, parts, *pieces,
                      fmt::format("pieces of micro-batch {} in {}", place.first, terms.name),
                      "parallel.pp_microbatches", finding);
}

/// Returns the sums of the micro-batches of a step, or those of passes that each end with a reduction, if
/// more tensors are such sums.
/// \param each_pass  set if they are
std::vector<SumTerms> choose_passes(const RecordedRun& run, int64_t step, std::vector<SumTerms> all,
                                    bool& each_pass) {
  if (all.empty() || run.trace().ranks() < 2 || !run.config_text("loss.normalization").empty())
    return all;
  size_t plain = 0, reduced = 0;
  common_factor(known_factors(run, step, all.front()), all, &plain);
  if (plain == all.size())
    return all;
  std::vector<SumTerms> passes = reduced_in_each_pass(run, step, all);
  if (passes.size() != all.size())
    return all;
  common_factor({{1, ""}}, passes, &reduced);
  if (reduced <= plain)
    return all;
  each_pass = true;
  return passes;
}

/// Returns the one factor, other than the known ones, that gives all sums of several tensors; nothing
/// without.
std::optional<double> one_scale(const std::vector<SumTerms>& all) {
  double product = 0, square = 0;
  for (const SumTerms& terms : all)
    for (size_t i = 0; i < terms.sums.front().values.size(); ++i) {
      double sum = 0;
      for (const std::vector<double>& term : terms.terms)
        sum += term[i];
      product += sum * terms.sums.front().values[i];
      square += sum * sum;
    }
  const double scale = product / square;
  if (all.size() < 2 || !(scale > 0))
    return std::nullopt;
  const bool fits = std::ranges::all_of(all, [&](const SumTerms& terms) {
    return std::ranges::all_of(terms.sums,
                               [&](const SumTerms::Sum& sum) { return is_sum(terms, sum.values, scale); });
  });
  return fits ? std::optional(scale) : std::nullopt;
}

/// Judges the updates at which one factor scales all reduced gradients. Clipping that the recorder did not
/// see has another factor at each update; a wrong divisor has the same one.
void judge_scales(const std::map<int64_t, double>& scales, Finding& finding) {
  if (scales.empty())
    return;
  const auto [step, first] = *scales.begin();
  const bool is_constant = scales.size() > 1 && std::ranges::all_of(scales, [&](const auto& each) {
                             return std::abs(each.second - first) <= 1e-6 * first;
                           });
  if (is_constant)
    finding.departures.push_back(
        {fmt::format("every tensor: the reduced gradient is not the sum: it is {:.4g} times that", first),
         step,
         "every tensor",
         {},
         first});
  else
    finding.notes.push_back(fmt::format(
        "one factor of each update scales all reduced gradients at {} updates, the first by {:.4g} of "
        "the sum: clipping by the trainer's own lines does that",
        scales.size(), first));
}

/// Asks the sums over ranks that no layout declares.
void ask_undeclared_sums(const RecordedRun& run, SharedGradients& shared, std::set<std::string>& conventions,
                         Finding& finding) {
  std::map<int64_t, double> scales;
  ask_sums(
      run,
      [&](int64_t step) {
        std::vector<SumTerms> all = undeclared_terms_of_ranks(run, step, shared);
        size_t fit = 0;
        if (all.empty() || !may_be_clipped_by_hand(run, step))
          return all;
        common_factor(known_factors(run, step, all.front()), all, &fit);
        if (const auto scale = fit < all.size() ? one_scale(all) : std::nullopt) {
          scales[step] = *scale;
          for (const SumTerms& terms : all)
            finding.checked += static_cast<int64_t>(terms.sums.size());
          all.clear();
        }
        return all;
      },
      [](int64_t, const std::vector<Factor>& known) { return known; },
      "the reduced gradient{} is not the sum", conventions, finding);
  judge_scales(scales, finding);
}

/// Says which sums over ranks were not asked. \return why none was, if some should have been; else ""
std::string why_no_rank_sum(const RecordedRun& run, const SharedGradients& shared, bool was_asked,
                            Finding& finding) {
  const std::set<std::string> all = run.all_names(Phase::grad);
  const auto who = [&](const std::set<std::string>& some) {
    return describe(some, {all.begin(), all.end()});
  };
  std::vector<std::string> reasons;
  if (!shared.unread.empty())
    reasons.push_back(fmt::format("grad_local of {} lacks values of ranks", who(shared.unread)));
  if (!shared.own.empty())
    reasons.push_back(shared.own == all
                          ? "each rank uses its own gradients"
                          : fmt::format("each rank uses its own gradient of {}", who(shared.own)));
  if (reasons.empty() && shared.equal == all && shared.all_whole)
    reasons.emplace_back("all ranks compute the same gradients");
  if (reasons.empty())
    return "";
  const std::string why = fmt::format("the sum over ranks was not asked: {}", fmt::join(reasons, "; "));
  if (was_asked)
    finding.notes.push_back(why);
  return was_asked ? "" : why;
}

}  // namespace

Finding ask_reduction(const RecordedRun& run) {
  Finding finding;
  Unsummed left_out;
  std::set<std::string> conventions, of_all_ranks;
  bool each_pass = false;
  const auto over_ranks = [&](int64_t step, const std::vector<Factor>& known) {
    return allowed_factors(run, step, known, SumSpan::ranks);
  };
  ask_sums(
      run,
      [&](int64_t step) {
        std::vector<SumTerms> all = terms_of_micro_batches(run, step, left_out);
        count_micro_batches(run, step, all, finding);
        return choose_passes(run, step, std::move(all), each_pass);
      },
      [&](int64_t step, const std::vector<Factor>& known) {
        return allowed_factors(run, step, known, run.trace().ranks() == 1 ? SumSpan::alone : SumSpan::rank);
      },
      "the gradient{} is not the sum of the micro-batches'", conventions, finding);
  ask_sums(
      run,
      [&](int64_t step) {
        std::vector<SumTerms> all = terms_of_all_micro_batches(run, step, left_out);
        for (const SumTerms& terms : all)
          of_all_ranks.insert(terms.name);
        count_micro_batches(run, step, all, finding);
        return all;
      },
      over_ranks, "the reduced gradient{} is not the sum of the micro-batches'", conventions, finding);
  const int64_t of_micro_batches = finding.checked;
  ask_sums(
      run, [&](int64_t step) { return terms_of_ranks(run, step); }, over_ranks,
      "the reduced gradient{} is not the sum", conventions, finding);
  SharedGradients shared = shared_gradients(run);
  ask_undeclared_sums(run, shared, conventions, finding);
  std::set<std::string> not_summed;
  for (const auto& [step, name] : left_out)
    not_summed.insert(name);
  for (const std::string& name : of_all_ranks)
    if (!not_summed.contains(name))
      shared.unread.erase(name);
  const std::string why = why_no_rank_sum(run, shared, finding.checked > of_micro_batches, finding);
  if (!why.empty() && finding.departures.empty())
    finding.checked = 0;  // half of the law does not decide
  if (each_pass)
    finding.notes.emplace_back("gradients are reduced in each backward pass");
  for (const std::string& text : conventions)
    finding.notes.push_back("gradients are " + text);
  if (const std::set<std::string> all = run.all_names(Phase::grad); !not_summed.empty())
    finding.notes.push_back(
        fmt::format("micro-batches were not summed of {}, since some were not recorded, or "
                    "no layout says which ranks have their terms",
                    describe(not_summed, {all.begin(), all.end()})));
  const bool has_halves = of_micro_batches > 0 || !shared.own.empty() || !shared.equal.empty();
  if (finding.answer() == Answer::not_asked)
    finding.why = !why.empty() && has_halves ? why
                  : run.trace().ranks() < 2
                      ? "the trace has one rank, and no gradients of single micro-batches"
                      : "no gradient was recorded on each rank before and after a reduction";
  return finding;
}

}  // namespace parity::laws
