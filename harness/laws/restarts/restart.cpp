// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
// Law "restart": a run that resumes begins with the state that the run before had, bit for bit.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/laws/laws.hpp"
#include "harness/laws/restarts/continued.hpp"
#include "harness/laws/restarts/explain_state.hpp"
#include "harness/laws/restarts/state_pairs.hpp"
#include "harness/laws/run/tensor_groups.hpp"
#include "harness/trace/format/restart_names.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

/// A tensor of the state by its kind and its parameter: "exp_avg" of "norm.weight", "parameter" of
/// "norm.weight", "generator" of "".
struct StateName {
  std::string kind, parameter;
};

StateName state_name(const TensorKey& key) {
  if (key.phase == Phase::input)
    return {key.name.substr(trace::saved_prefix.size()), ""};
  if (key.phase == Phase::param)
    return {is_router_bias(key.name) ? "router bias" : "parameter", key.name};
  const size_t slash = key.name.find('/');
  return slash == std::string::npos ? StateName{key.name, ""}
                                    : StateName{key.name.substr(0, slash), key.name.substr(slash + 1)};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

/// Returns tensors as text, joined by kind: "exp_avg and exp_avg_sq of every tensor, generator".
/// \param all  tensors of the state, which say what every tensor is
std::string describe_state(const std::vector<TensorKey>& some, const std::vector<TensorKey>& all) {
  std::map<std::string, std::set<std::string>> parameters;
  std::map<std::string, std::vector<std::string>> of_kind;
  for (const TensorKey& key : all)
    of_kind[state_name(key).kind].push_back(state_name(key).parameter);
  for (const TensorKey& key : some)
    parameters[state_name(key).kind].insert(state_name(key).parameter);
  std::map<std::set<std::string>, std::vector<std::string>> kinds;  // of equal sets
  for (const auto& [kind, names] : parameters)
    kinds[names].push_back(kind);
  std::vector<std::string> items;
  for (const auto& [names, of] : kinds)
    items.push_back(names == std::set<std::string>{""}
                        ? joined(of)
                        : joined(of) + " of " + describe(names, of_kind[of.front()]));
  return joined(items);
}

std::vector<TensorKey> saved_keys(const Restart& restart) {
  std::vector<TensorKey> keys = restart.lost;
  for (const StatePair& pair : restart.pairs)
    keys.push_back(pair.before);
  return keys;
}

/// Compares each pair. \return how many parameters, and how many other tensors of the state, were compared
std::map<Phase, int64_t> compare_state(const Restart& restart, Finding& finding) {
  std::map<Phase, int64_t> compared;
  std::map<std::string, std::vector<TensorKey>> wrong;  // by explanation
  for (const StatePair& pair : restart.pairs) {
    const std::optional<bool> same = same_bits(*restart.before, pair.before, *restart.after, pair.after);
    if (!same)
      continue;
    ++compared[pair.before.phase];
    ++finding.checked;
    if (!*same)
      wrong[explain_state(restart, pair)].push_back(pair.before);
  }
  for (const auto& [explanation, keys] : wrong) {
    const std::string who = describe_state(keys, saved_keys(restart));
    finding.departures.push_back(
        {fmt::format("{}: not restored after update {}: {}", who, restart.saved, explanation),
         restart.first,
         who,
         {},
         {}});
  }
  return compared;
}

/// Returns whether the resumed run had a parameter or moment later, but not when it began.
bool is_dropped(const Restart& restart, const TensorKey& key) {
  const auto& later = restart.after->names(restart.first, key.phase);
  return std::ranges::find(later, key.name) != later.end();
}

/// Returns whether a key is state of the loss's scale, which a resumed run has or does not scale.
bool is_loss_scale(const TensorKey& key) {
  return key.phase == Phase::input && state_name(key).kind.starts_with("loss_scale");
}

/// Adds a departure for state that a resumed run begins without, although it got back the rest of its kind.
/// \param compared  of each phase; a phase that is missing as a whole is not a departure
template <class Predicate>
void find_dropped_state(Restart& restart, const std::map<Phase, int64_t>& compared, const Predicate& is_it,
                        const std::string& besides, Finding& finding) {
  std::vector<TensorKey> dropped;
  std::ranges::copy_if(restart.lost, std::back_inserter(dropped),
                       [&](const TensorKey& key) { return compared.contains(key.phase) && is_it(key); });
  if (dropped.empty())
    return;
  const std::string who = describe_state(dropped, saved_keys(restart));
  finding.departures.push_back(
      {fmt::format("{}: not restored after update {}: the resumed run begins without it{}", who,
                   restart.saved, besides),
       restart.first,
       who,
       {},
       {}});
  std::erase_if(restart.lost,
                [&](const TensorKey& key) { return std::ranges::find(dropped, key) != dropped.end(); });
}

/// Returns what a restart lacks so that nothing of its main state was compared; "" if both parameters and the
/// state of the optimizer were.
std::string missing_state(const Restart& restart, const std::map<Phase, int64_t>& compared) {
  const auto has_optim = [](const RecordedRun& run) { return !run.all_names(Phase::optim).empty(); };
  const auto count = [&](Phase phase) { return compared.contains(phase) ? compared.at(phase) : 0; };
  const std::string where = fmt::format("on both sides of the restart after update {}", restart.saved);
  if (count(Phase::param) == 0)
    return "no parameter was recorded " + where;
  const auto is_optim = [](const TensorKey& key) { return key.phase == Phase::optim; };
  if (count(Phase::optim) == 0 && std::ranges::any_of(restart.lost, is_optim))
    return fmt::format(
        "the resumed run has no state of the optimizer before update {}: it was not restored, or not "
        "recorded",
        restart.first);
  if (count(Phase::optim) == 0 && (has_optim(*restart.before) || has_optim(*restart.after)))
    return "no state of the optimizer was recorded " + where;
  return "";
}

/// Adds a departure if the step counters show that no state of the optimizer was restored.
void find_new_counters(Restart& restart, const std::map<Phase, int64_t>& compared, Finding& finding) {
  const std::string how = compared.contains(Phase::optim) ? "" : describe_lost_counters(restart);
  if (how.empty())
    return;
  std::vector<TensorKey> moments;
  std::ranges::copy_if(restart.lost, std::back_inserter(moments),
                       [](const TensorKey& key) { return key.phase == Phase::optim; });
  const std::string who = describe_state(moments, saved_keys(restart));
  finding.departures.push_back(
      {fmt::format("{}: not restored after update {}: they {}", who, restart.saved, how),
       restart.first,
       who,
       {},
       {}});
}

/// Notes what was not compared.
void add_notes(const Restart& restart, const std::map<Phase, int64_t>& compared, Finding& finding) {
  const auto note = [&](const std::string& text) { finding.notes.push_back(text); };
  const int64_t last = restart.before->steps().back();
  if (restart.before != restart.after && restart.saved != last)
    note(fmt::format("the run continues from update {} of {}", restart.saved, last));
  if (!restart.lost.empty())
    note(fmt::format("not compared, since not recorded after the restart: {}",
                     describe_state(restart.lost, saved_keys(restart))));
  if (!restart.added.empty())
    note(fmt::format("{} of the resumed run {} not recorded before the restart", restart.added.size(),
                     restart.added.size() == 1 ? "tensor was" : "tensors were"));
  if (!compared.contains(Phase::optim))
    note("no state of an optimizer was compared");
  if (!compared.contains(Phase::input))
    note("generator, schedule position and data position were not compared");
}

}  // namespace

Finding ask_restart(const RecordedRun& run) {
  Finding finding;
  std::string missing;
  for (Restart& restart : restarts_of(run)) {
    const std::map<Phase, int64_t> compared = compare_state(restart, finding);
    find_dropped_state(
        restart, compared, [&](const TensorKey& key) { return is_dropped(restart, key); },
        ", and has it later", finding);
    find_dropped_state(restart, compared, is_loss_scale, "", finding);
    find_new_counters(restart, compared, finding);
    if (restart.before != restart.after)
      compare_channels(restart, finding);
    if (std::string text = missing_state(restart, compared); !text.empty())
      missing = text;
    else
      add_notes(restart, compared, finding);
  }
  if (!missing.empty() && finding.departures.empty())
    finding.checked = 0;  // a restart that was not seen is not one that is right
  if (finding.answer() == Answer::not_asked)
    finding.why = !missing.empty()          ? missing
                  : run.before() == nullptr ? "the trace shows no restart"
                                            : "the trace has no state before its first update";
  return finding;
}

}  // namespace parity::laws
