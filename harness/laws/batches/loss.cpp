// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Law "loss": the channel is the cross entropy of the logits and labels, divided as the run says.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/laws/batches/batch.hpp"
#include "harness/laws/batches/entropies.hpp"
#include "harness/laws/batches/head_gradient.hpp"
#include "harness/laws/laws.hpp"
#include "harness/laws/run/rounding.hpp"
#include "harness/tensor/conversions.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

/// One way to divide the cross entropy.
struct Division {
  std::string name;
  double loss = 0;
  bool usual = false;  ///< trainers divide so on purpose
};

double mean_of_means(const std::vector<Share>& shares) {
  double sum = 0;
  int64_t count = 0;
  for (const Share& share : shares)
    if (share.valid > 0) {
      sum += share.mean();
      ++count;
    }
  return sum / static_cast<double>(count);
}

/// The parts of a batch whose losses are computed apart.
struct Pieces {
  std::vector<Share> ranks, micro_batches;  ///< micro-batches of all ranks
  std::vector<int64_t> rank_numbers, micro_batch_numbers;
};

Pieces cut_batch(const RecordedRun& run, const Batch& batch, const Entropies& all) {
  Pieces pieces;
  std::vector<RankRows> ranks = batch.rows_of_rank;
  if (ranks.empty())
    ranks = {{0, 0, batch.rows}};
  const int64_t count = micro_batches_of(run);
  for (const auto& [rank, first, end] : ranks) {
    pieces.ranks.push_back(all.of(first, end));
    pieces.rank_numbers.push_back(rank);
    if ((end - first) % count != 0)
      continue;
    const int64_t rows = (end - first) / count;
    for (int64_t m = 0; m < count; ++m) {
      pieces.micro_batch_numbers.push_back(static_cast<int64_t>(pieces.micro_batches.size()));
      pieces.micro_batches.push_back(all.of(first + m * rows, first + (m + 1) * rows));
    }
  }
  return pieces;
}

/// Returns the divisions that trainers use, then wrong ones. Those of the first kind are called by their
/// names.
std::vector<Division> divisions(const Pieces& pieces, const Entropies& entropies) {
  const Share all = entropies.all();
  const double mean = all.mean();
  std::vector<Division> list = {
      {"the mean over all tokens that count", mean, true},
      {"the mean of the micro-batches' means", mean_of_means(pieces.micro_batches), true},
      {"the mean of the ranks' means", mean_of_means(pieces.ranks), true},
      {"the mean of the sequences' means", mean_of_means(entropies.rows), true},
      {"the sum over all tokens", all.sum}};
  const auto tokens = static_cast<double>(entropies.rows.size()) * static_cast<double>(entropies.length);
  list.push_back({"the sum divided by all tokens, the ignored ones included", all.sum / tokens});
  const auto add_parts = [&](const char* what, const char* many, const std::vector<Share>& shares,
                             const std::vector<int64_t>& numbers) {
    for (size_t i = 0; shares.size() > 1 && i < shares.size(); ++i) {
      list.push_back({fmt::format("the mean of {} {} alone", what, numbers[i]), shares[i].mean()});
      list.push_back({fmt::format("the part of {} {} of the mean", what, numbers[i]),
                      shares[i].sum / static_cast<double>(all.valid)});
      if (shares.size() == 2)
        continue;  // without one is the other alone
      list.push_back({fmt::format("the mean without {} {}", what, numbers[i]),
                      (all.sum - shares[i].sum) / static_cast<double>(all.valid - shares[i].valid)});
    }
    const auto n = static_cast<double>(shares.size());
    if (n < 2)
      return;
    list.push_back({fmt::format("{} (the number of {}) times the mean", n, many), mean * n});
    list.push_back({fmt::format("the mean divided by {} (the number of {})", n, many), mean / n});
    list.push_back({fmt::format("the sum of the {}' means", many), mean_of_means(shares) * n});
  };
  add_parts("rank", "ranks", pieces.ranks, pieces.rank_numbers);
  if (pieces.micro_batches.size() != pieces.ranks.size())
    add_parts("micro-batch", "micro-batches", pieces.micro_batches, pieces.micro_batch_numbers);
  return list;
}

/// Returns the division that the config names, as its place in the list; nothing for another trainer.
std::optional<size_t> promised(const RecordedRun& run) {
  const std::string rule = run.config_text("loss.normalization");
  if (rule == "global_tokens" || rule == "gradient_scaling")
    return 0;
  if (rule == "microbatch_mean")
    return 1;
  return std::nullopt;
}

/// Which divisions give the loss at every update so far.
struct Fits {
  std::set<std::string> names;
  int64_t updates = 0;
  int64_t first_step = 0;
  double recorded = 0, mean = 0;
  double lowest_ratio = HUGE_VAL, highest_ratio = -HUGE_VAL;  ///< of the loss to the mean over all tokens

  void add(const std::vector<Division>& list, int64_t step, double loss, double bound) {
    lowest_ratio = std::min(lowest_ratio, loss / list.front().loss);
    highest_ratio = std::max(highest_ratio, loss / list.front().loss);
    std::set<std::string> fit;
    for (const Division& each : list)
      if (std::abs(each.loss - loss) <= 2 * bound)
        fit.insert(each.name);
    if (updates++ == 0) {
      names = std::move(fit);
      first_step = step;
      recorded = loss;
      mean = list.front().loss;
      return;
    }
    std::erase_if(names, [&](const std::string& name) { return !fit.contains(name); });
  }
  /// Returns whether one factor of the mean gives every update.
  bool is_factor() const {
    return updates > 1 && highest_ratio - lowest_ratio <= 1e-5 * std::abs(lowest_ratio);
  }
  /// Returns the first of the list that fits; one without a name if none does.
  Division first_of(const std::vector<Division>& list) const {
    const auto found =
        std::ranges::find_if(list, [&](const Division& each) { return names.contains(each.name); });
    return found == list.end() ? Division() : *found;
  }
};

void judge_promised(const Fits& wrong, const std::vector<Division>& list, size_t rule, Finding& finding) {
  const std::string fit = wrong.first_of(list).name;
  finding.departures.push_back(
      {fmt::format("loss is {:.9g} at update {}, not {}: {}; it is {:.6g} of the mean over all tokens",
                   wrong.recorded, wrong.first_step, list[rule].name,
                   fit.empty() ? "no known division gives it" : "it is " + fit, wrong.recorded / wrong.mean),
       wrong.first_step,
       "",
       {},
       wrong.recorded / wrong.mean});
}

/// Says how far a mean is from that over all tokens, since nothing promises either; "" if it is that one.
std::string unlike_tokens(const Fits& all, const std::vector<Division>& list) {
  if (all.names.contains(list.front().name))
    return "";
  return fmt::format(
      ", {:.6g} of the mean over all tokens at update {}: tokens of pieces with few tokens count more; name "
      "the "
      "division in the config (loss.normalization) to have it judged",
      all.recorded / all.mean, all.first_step);
}

/// Names the divisions that cannot be told from the first one.
std::string others_of(const Fits& all, const std::string& first) {
  std::vector<std::string> others;
  for (const std::string& name : all.names)
    if (name != first)
      others.push_back(name);
  return others.empty() ? "" : fmt::format("; the same in this run: {}", fmt::join(others, ", "));
}

/// Judges a run whose config names no division.
void judge_found(const Fits& all, const std::vector<Division>& list, Finding& finding) {
  const auto [fit, loss, usual] = all.first_of(list);
  if (!std::isfinite(all.recorded)) {
    finding.departures.push_back(
        {fmt::format("loss is {} at update {}", all.recorded, all.first_step), all.first_step, "", {}, {}});
    return;
  }
  if (usual) {
    finding.notes.push_back("loss is " + fit + unlike_tokens(all, list) + others_of(all, fit));
    return;
  }
  finding.checked = 0;
  if (fit.empty() && all.is_factor()) {
    finding.checked = all.updates;
    finding.departures.push_back({fmt::format("loss is {:.6g} times the mean over all tokens at every update",
                                              all.recorded / all.mean),
                                  all.first_step,
                                  "",
                                  {},
                                  all.recorded / all.mean});
    return;
  }
  if (fit.empty()) {
    finding.why = "no known division of the cross entropy gives the loss; it may have other terms";
    finding.record = "the cross entropy as the channel loss";
    return;
  }
  finding.checked = all.updates;
  finding.departures.push_back(
      {fmt::format("loss is {:.9g} at update {}: it is {}, {:.6g} of the mean over all tokens", all.recorded,
                   all.first_step, fit, all.recorded / all.mean),
       all.first_step,
       "",
       {},
       all.recorded / all.mean});
}

/// What the losses of a run are, if each label belongs to the logits `shift` places before it.
struct Answers {
  Finding finding;
  Fits all, wrong;
  std::vector<Division> last;  ///< divisions at the last update
  std::string division() const { return all.updates > 0 ? all.first_of(last).name : ""; }
};

Answers measure(const RecordedRun& run, std::optional<size_t> rule, int64_t shift) {
  Answers found;
  for (const int64_t step : run.steps()) {
    const auto loss = run.channel("loss", step);
    const Batch batch = read_batch(run, step);
    const auto logits = batch.labels.empty() ? std::nullopt : find_logits(run, batch);
    if (!loss || !logits)
      continue;
    std::optional<Entropies> entropy = entropies(run, batch, *logits, shift);
    if (!entropy || entropy->all().valid == 0)
      continue;
    if (static_cast<double>(static_cast<float>(*loss)) == *loss)
      entropy->roundoff = std::max(entropy->roundoff, 0x1p-24);  // computed in float32 from whatever logits
    found.last = divisions(cut_batch(run, batch, *entropy), *entropy);
    const double bound = entropy->bound(found.last.front().loss), wanted = found.last[rule.value_or(0)].loss;
    const bool right = found.finding.compare(std::abs(*loss - wanted), bound);
    found.all.add(found.last, step, *loss, bound);
    if (rule && !right)
      found.wrong.add(found.last, step, *loss, bound);
  }
  return found;
}

/// Returns whether the labels of a run are its tokens, so that the model has to shift them.
bool are_labels_tokens(const RecordedRun& run) {
  for (const int64_t step : run.steps())
    if (const Batch batch = read_batch(run, step); !batch.tokens.empty() && !batch.labels.empty())
      return share_of_shift(batch, 0) >= 0.9 && !(share_of_shift(batch, 1) >= 0.5);
  return false;
}

/// Judges a run whose labels are its tokens.
/// \param shifted  with each label paired with the logits before it
Finding judge_own_labels(const RecordedRun& run, std::optional<size_t> rule, const Answers& shifted) {
  Finding finding = shifted.finding;
  if (shifted.all.updates == 0 || !shifted.division().empty()) {
    if (shifted.all.updates > 0)
      judge_found(shifted.all, shifted.last, finding);
    return finding;
  }
  if (const std::string own = measure(run, rule, 0).division(); !own.empty()) {
    finding.departures.push_back(
        {fmt::format(
             "the loss compares each token with itself: labels are the tokens, and the loss is {} if the "
             "logits of each place predict the label of that place",
             own),
         shifted.all.first_step,
         "labels",
         {},
         {}});
    return finding;
  }
  judge_found(shifted.all, shifted.last, finding);
  return finding;
}

}  // namespace

const std::vector<std::string>& logit_names() {
  static const std::vector<std::string> names = {"output", "lm_head", "logits", "model"};
  return names;
}

/// Returns why the loss is more than the cross entropy of the recorded logits; "" if it is not.
std::string other_terms(const RecordedRun& run) {
  if (run.config_text("data.source") == "rollouts")
    return "the loss is a policy's";
  if (run.config_number("loss.z_coef").value_or(0) != 0)
    return "the loss has a z-loss (loss.z_coef), which this law does not know";
  if (run.config_number("architecture.logit_softcap").value_or(0) != 0)
    return "logits are capped (architecture.logit_softcap) after they are recorded";
  return "";
}

Finding ask_loss(const RecordedRun& run) {
  Finding finding;
  const std::string other = other_terms(run);
  if (other.empty()) {
    const std::optional<size_t> rule = promised(run);
    const bool own_labels = are_labels_tokens(run);
    const Answers found = measure(run, rule, own_labels ? 1 : 0);
    finding = found.finding;
    if (own_labels)
      finding = judge_own_labels(run, rule, found);
    else if (found.wrong.updates > 0)
      judge_promised(found.wrong, found.last, *rule, finding);
    else if (!rule && found.all.updates > 0)
      judge_found(found.all, found.last, finding);
  }
  if (other.empty() && !promised(run) && finding.answer() == Answer::holds && run.trace().ranks() == 1)
    check_head_gradient(run, are_labels_tokens(run) ? 1 : 0, finding);
  if (finding.answer() == Answer::not_asked && finding.why.empty()) {
    finding.why = !other.empty() ? other : "no logits with their labels were recorded";
    finding.record = "phase forward of the logits (output, lm_head or model) and phase input of labels";
  }
  return finding;
}

}  // namespace parity::laws
