// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Law "update": the optimizer's formula, with the numbers that it was given, gives its state and the
// parameters.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/base/json/fields.hpp"
#include "harness/base/text/glob.hpp"
#include "harness/laws/laws.hpp"
#include "harness/laws/muon/muon_tally.hpp"
#include "harness/laws/run/tensor_groups.hpp"
#include "harness/laws/updates/adafactor.hpp"
#include "harness/laws/updates/promised_optimizer.hpp"
#include "harness/laws/updates/tensor_update.hpp"

namespace parity::laws {
namespace {

using trace::Phase;

/// Forms of one rule of which a run uses one. None of them is wrong by itself.
enum class Variant { usual, l2, nesterov };

/// What was found at one update.
struct StepAnswer {
  int64_t compared = 0;
  double worst = 0;
  int64_t blind = 0;
  int64_t left_alone = 0;                                   ///< tensors without a gradient
  std::map<std::string, MuonStepCheck> muon;                ///< by matrix
  std::map<std::string, std::set<std::string>> complaints;  ///< text -> tensors
  std::map<std::string, std::optional<double>> factors;     ///< by the same text
  std::map<size_t, std::set<std::string>> groups;           ///< which tensors each group's numbers give
  bool searched_groups = false;   ///< whether a tensor was compared with the numbers of several groups
  std::set<std::string> unknown;  ///< tensors without a known rule
  std::set<OptimizerKind> kinds;
};

/// Returns whether the config gives no weight decay to a parameter with fewer than two dimensions.
bool leaves_out_vectors(const RecordedRun& run) {
  return run.config_text("optimizer.decay") == "matrices";
}

/// Returns whether the config leaves a parameter untrained: train.freeze names it, or only adapters train.
bool is_frozen(const RecordedRun& run, const std::string& name) {
  if (run.config_number("lora.rank").value_or(0) > 0 && name.find(".lora_") == std::string::npos)
    return true;
  const Json globs = Json::parse(run.config_text("train.freeze"), nullptr, false);
  return globs.is_array() && std::ranges::any_of(globs, [&](const Json& glob) {
           return glob.is_string() && glob_match(glob.get<std::string>(), name);
         });
}

void add_complaint(const std::string& text, const TensorUpdate& data, StepAnswer& answer) {
  answer.complaints[text].insert(data.name);
  answer.factors.try_emplace(text);
}

void add_frozen(const TensorUpdate& data, StepAnswer& answer) {
  ++answer.compared;
  if (data.before != data.after)
    add_complaint("moves, though the config leaves it untrained", data, answer);
}

/// Returns whether a parameter has a gradient and no optimizer updates it: it keeps its value and has no
/// state, where others have one. Narrow types are left out, since rounding can hide an update there.
bool is_forgotten(const RecordedRun& run, const TensorUpdate& data,
                  const std::vector<OptimizerNumbers>& groups) {
  const Vector& gradient = data.unclipped.empty() ? data.gradient : data.unclipped;
  const bool has_gradient = std::ranges::any_of(gradient, [](double value) { return value != 0; });
  const bool may_move = std::ranges::any_of(groups, [](const auto& numbers) { return numbers.lr != 0; });
  const bool others_have_state = !run.names(data.step, Phase::optim).empty();
  const bool has_state =
      std::ranges::any_of(run.names(data.step, Phase::optim),
                          [&](const std::string& state) { return state.ends_with("/" + data.name); });
  return has_gradient && may_move && others_have_state && !has_state && data.before == data.after &&
         data.roundoff <= 0x1p-24;
}

void add_forgotten(const TensorUpdate& data, StepAnswer& answer) {
  ++answer.compared;
  add_complaint("has a gradient, and no optimizer updates it", data, answer);
}

UpdateCheck check_tensor(const RecordedRun& run, TensorUpdate data, const OptimizerNumbers& numbers) {
  if (numbers.maximize)
    for (Vector* gradient : {&data.gradient, &data.unclipped})
      for (double& value : *gradient)
        value = -value;
  switch (data.kind) {
    case OptimizerKind::adam:
      return check_adam(data, numbers);
    case OptimizerKind::muon:
      return check_muon(data, numbers);
    case OptimizerKind::adafactor:
      return check_adafactor(data, numbers, adafactor_numbers(run, data.step, data.roundoff));
    default:
      return check_sgd(data, numbers);
  }
}

/// Returns whether the trace has a gradient of any tensor at an update, so that a missing one is None.
bool records_gradients(const RecordedRun& run, int64_t step) {
  return !run.names(step, Phase::grad).empty() || !run.names(step, Phase::grad_clipped).empty();
}

/// Compares a tensor with the numbers of its group, or of each group that may be its own, and keeps the
/// first that gives it.
void add_tensor(const RecordedRun& run, const TensorUpdate& data, std::vector<OptimizerNumbers> groups,
                bool may_decay, StepAnswer& answer) {
  if (!may_decay)
    for (OptimizerNumbers& numbers : groups)
      numbers.decay = 0;
  UpdateCheck best;
  size_t group = groups.front().group;
  answer.searched_groups |= groups.size() > 1;
  for (size_t i = 0; i < groups.size(); ++i) {
    UpdateCheck check = check_tensor(run, data, groups[i]);
    if (i > 0 && (!check.complaints.empty() || check.compared == 0))
      continue;
    best = std::move(check);
    group = groups[i].group;
    if (best.complaints.empty())
      break;
  }
  answer.kinds.insert(data.kind);
  if (best.muon)
    answer.muon.emplace(data.name, *best.muon);
  answer.compared += best.compared;
  answer.worst = std::max(answer.worst, best.worst);
  answer.blind += best.blind;
  if (best.complaints.empty() && best.compared > 0)
    answer.groups[group].insert(data.name);
  for (const Complaint& complaint : best.complaints) {
    answer.complaints[complaint.text].insert(data.name);
    answer.factors[complaint.text] = complaint.factor;
  }
}

/// \param skipped  updates before this one that the optimizer did not make
/// \param spent    whether steps of Muon are no longer compared
StepAnswer ask_step(const RecordedRun& run, const ParameterGroups& of_run, int64_t step, Variant variant,
                    int64_t skipped, bool spent) {
  StepAnswer answer;
  std::vector<OptimizerNumbers> all = of_run.numbers(run, step);
  for (OptimizerNumbers& numbers : all) {
    numbers.l2 = variant == Variant::l2;
    numbers.nesterov = variant == Variant::nesterov;
    numbers.muon.spent = spent;
  }
  if (all.empty())
    return answer;
  for (const std::string& name : run.names(step, Phase::param)) {
    const std::vector<OptimizerNumbers> groups = of_run.candidates(name, all);
    TensorUpdate data = read_update(run, step, name, of_run.optimizer_of(name));
    data.skipped = skipped;
    if (data.before.empty())
      continue;
    const bool is_balanced = is_router_bias(name) && data.gradient.empty();  // its router's load moves it
    if (records_gradients(run, step) && !is_balanced && is_frozen(run, name)) {
      add_frozen(data, answer);
      continue;
    }
    if (is_forgotten(run, data, groups)) {
      add_forgotten(data, answer);
      continue;
    }
    if (data.gradient.empty() && data.first_after.empty() && data.factored.row_after.empty())
      continue;  // a buffer, or a parameter that is not trained
    if (records_gradients(run, step) && data.is_left_alone())
      ++answer.left_alone;
    else if (data.kind == OptimizerKind::unknown)
      answer.unknown.insert(name);
    else
      add_tensor(run, data, groups, !leaves_out_vectors(run) || data.dimensions != 1, answer);
  }
  return answer;
}

void add_departures(const RecordedRun& run, int64_t step, const StepAnswer& answer, Finding& finding) {
  const std::vector<std::string>& names = run.names(step, Phase::param);
  for (const auto& [text, tensors] : answer.complaints) {
    const std::string who = describe(tensors, names);
    finding.departures.push_back({who + ": " + text, step, who, {}, answer.factors.at(text)});
  }
}

/// The whole run, by one variant.
class Audited {
 public:
  Audited(const RecordedRun& run, Variant variant) : variant_(variant) {
    const ParameterGroups groups(run);
    for (const int64_t step : run.steps()) {
      if (run.channel("update_skipped", step).value_or(0) == 1) {
        ++skipped_;
        continue;
      }
      StepAnswer answer = ask_step(run, groups, step, variant, skipped_, muon_.is_spent());
      compared_ += answer.compared;
      wrong_ += !answer.complaints.empty();
      for (const auto& [text, tensors] : answer.complaints)
        wrong_tensors_ += static_cast<int64_t>(tensors.size());
      for (const auto& [name, check] : answer.muon)
        muon_.add(step, name, check);
      if (answer.compared + answer.blind > 0 || !answer.unknown.empty())
        answers_.emplace(step, std::move(answer));
    }
  }
  int64_t compared() const { return compared_; }
  int64_t wrong() const { return wrong_; }
  int64_t wrong_tensors() const { return wrong_tensors_; }
  Variant variant() const { return variant_; }
  const std::map<int64_t, StepAnswer>& answers() const { return answers_; }

  void report(const RecordedRun& run, Finding& finding) const {
    finding.checked = compared_;
    for (const auto& [step, answer] : answers_) {
      finding.largest = std::max(finding.largest, answer.worst);
      if (finding.departures.empty())
        add_departures(run, step, answer, finding);
    }
    if (finding.departures.empty())
      for (const MuonTally::Stray& stray : muon_.strays()) {
        const std::string who = describe(stray.names, run.names(stray.step, Phase::param));
        finding.departures.push_back({who + ": " + stray.text, stray.step, who, {}, {}});
      }
    if (wrong_ > 1)
      finding.notes.push_back(
          fmt::format("the formula does not give {} of {} updates", wrong_, answers_.size()));
    if (compared_ > 0)
      add_notes(run, finding);
  }

 private:
  void add_notes(const RecordedRun& run, Finding& finding) const {
    const auto& [step, answer] = *answers_.rbegin();
    int64_t blind = 0, left_alone = 0;
    for (const auto& each : answers_) {
      blind += each.second.blind;
      left_alone += each.second.left_alone;
    }
    if (answer.kinds.contains(OptimizerKind::adam) && wrong_ == 0)
      finding.notes.emplace_back(variant_ == Variant::l2
                                     ? "Adam with the weight decay in the gradient (L2)"
                                     : "Adam with decoupled weight decay (AdamW), eps outside of the root");
    else if (answer.kinds.contains(OptimizerKind::sgd) && wrong_ == 0)
      finding.notes.emplace_back(variant_ == Variant::nesterov ? "SGD with Nesterov's momentum" : "SGD");
    else if (answer.kinds.contains(OptimizerKind::adafactor) && wrong_ == 0)
      finding.notes.emplace_back("Adafactor, with moments of rows and columns");
    for (const std::string& note : muon_.notes())
      finding.notes.push_back(note);
    if (answer.searched_groups)
      finding.notes.emplace_back(
          "the trace does not say which group has a parameter: the numbers of any group may give it");
    if (answer.groups.size() > 1 || answer.searched_groups)
      for (const auto& [group, tensors] : answer.groups)
        finding.notes.push_back(
            fmt::format("group {}: {}", group, describe(tensors, run.names(step, Phase::param))));
    if (skipped_ > 0)
      finding.notes.push_back(fmt::format("{} skipped update(s) were not compared", skipped_));
    if (blind > 0)
      finding.notes.push_back(
          fmt::format("{} updates of tensors are smaller than rounding and were not compared", blind));
    if (left_alone > 0)
      finding.notes.push_back(
          fmt::format("no gradient in {} update(s) of a tensor, which the optimizer left alone", left_alone));
    if (!answer.unknown.empty())
      finding.notes.push_back("not compared, for their optimizer is not known: " +
                              describe(answer.unknown, run.names(step, Phase::param)));
  }

  Variant variant_;
  int64_t compared_ = 0, wrong_ = 0, wrong_tensors_ = 0, skipped_ = 0;
  std::map<int64_t, StepAnswer> answers_;
  MuonTally muon_;
};

/// Says what is missing.
void explain_silence(const RecordedRun& run, const Audited& audited, Finding& finding) {
  if (!run.has_channel("lr")) {
    finding.why = "the trace has no channel lr";
    finding.record = "the channel lr, and phases param, optim and grad_clipped";
    return;
  }
  int64_t blind = 0;
  std::set<std::string> unknown;
  for (const auto& [step, answer] : audited.answers()) {
    blind += answer.blind;
    unknown.insert(answer.unknown.begin(), answer.unknown.end());
  }
  finding.record =
      "phases param, optim and grad_clipped of two successive updates, and the channels beta1 and beta2";
  if (!unknown.empty())
    finding.why = "no rule for the state of " + describe(unknown, {unknown.begin(), unknown.end()}) +
                  " is known (AdamW, Adam, SGD, Adafactor and Muon are)";
  else if (blind > 0) {
    finding.why = "every update is smaller than the rounding of the parameters";
    finding.record = "master weights, or an update with a larger learning rate";
  } else
    finding.why = "no parameter was recorded before and after an update, with its state or gradient";
}

}  // namespace

Finding ask_update(const RecordedRun& run) {
  Finding finding;
  if (rounds_weights(run)) {
    finding.why = "the optimizer rounds the parameters after its update (optimizer.weights)";
    finding.record = "a run with parameters of float32";
    return finding;
  }
  if (scales_queries(run)) {
    finding.why = "queries and keys are scaled after the update (optimizer.qk_clip)";
    finding.record = "a run without it";
    return finding;
  }
  Audited best(run, Variant::usual);
  for (const Variant variant : {Variant::l2, Variant::nesterov})
    if (best.wrong() > 0)
      if (Audited other(run, variant); other.compared() > 0 && other.wrong_tensors() < best.wrong_tensors())
        best = std::move(other);
  best.report(run, finding);
  if (best.variant() == Variant::usual && best.wrong() == 0 && promises_l2(run) &&
      Audited(run, Variant::l2).wrong() > 0)
    finding.departures.push_back(
        {"weight decay is decoupled (AdamW), where the config names Adam, which adds it to the gradient",
         run.steps().front(),
         "",
         {},
         {}});
  if (best.variant() == Variant::l2 && names_adamw(run))
    finding.departures.push_back(
        {"weight decay enters the gradient and so the moments (Adam with L2), where the config names AdamW",
         run.steps().front(),
         "",
         {},
         {}});
  if (finding.answer() == Answer::not_asked)
    explain_silence(run, best, finding);
  return finding;
}

}  // namespace parity::laws
