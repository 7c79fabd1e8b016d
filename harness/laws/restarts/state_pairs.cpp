// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/laws/restarts/state_pairs.hpp"

#include <algorithm>
#include <set>

#include "harness/trace/format/restart_names.hpp"

namespace parity::laws {
namespace {

using trace::Phase;
using trace::TensorKey;

/// Returns the state that a run has after an update: parameters, state of the optimizer, and saved parts.
std::set<TensorKey> state_after(const RecordedRun& run, int64_t update) {
  std::set<TensorKey> state;
  for (const Phase phase : {Phase::param, Phase::optim})
    for (const std::string& name : run.names(update, phase))
      state.insert({update, phase, name});
  for (const std::string& name : run.names(update, Phase::input))
    if (const TensorKey key{update, Phase::input, name}; trace::is_saved(key))
      state.insert(key);
  return state;
}

std::vector<TensorKey> loaded_at(const RecordedRun& run, int64_t update) {
  std::vector<TensorKey> loaded;
  for (const std::string& name : run.names(update, Phase::input))
    if (TensorKey key{update, Phase::input, name}; trace::is_loaded(key))
      loaded.push_back(std::move(key));
  return loaded;
}

/// Pairs what `after` has with the state of `before`. \param origin  of a key of `after`, at any step
template <class Origin>
void pair_up(Restart& restart, const std::vector<TensorKey>& after, const Origin& origin) {
  std::set<TensorKey> rest = state_after(*restart.before, restart.saved);
  for (const TensorKey& key : after) {
    TensorKey saved = origin(key);
    saved.step = restart.saved;
    if (rest.erase(saved) > 0)
      restart.pairs.push_back({std::move(saved), key});
    else
      restart.added.push_back(key);
  }
  restart.lost.assign(rest.begin(), rest.end());
}

/// Returns the state with which a run begins: what it loaded, else its state before its first update.
std::vector<TensorKey> first_state(const RecordedRun& run, int64_t first) {
  if (std::vector<TensorKey> loaded = loaded_at(run, first); !loaded.empty())
    return loaded;
  const std::set<TensorKey> state = state_after(run, first - 1);
  return {state.begin(), state.end()};
}

TensorKey origin_of(const TensorKey& key) {
  return trace::saved_key(key).value_or(key);
}

/// Returns the update of the run before after which most parameters have the values with which a run begins,
/// the last if there are several; nothing if no parameter has them.
std::optional<int64_t> update_resumed_from(const RecordedRun& before, const RecordedRun& after,
                                           const std::vector<TensorKey>& state) {
  std::optional<int64_t> found;
  int64_t most = 0;
  for (auto step = before.steps().rbegin(); step != before.steps().rend(); ++step) {
    const int64_t equal = std::ranges::count_if(state, [&](const TensorKey& key) {
      TensorKey saved = origin_of(key);
      saved.step = *step;
      return saved.phase == Phase::param && same_bits(before, saved, after, key) == true;
    });
    if (equal > most) {
      most = equal;
      found = *step;
    }
  }
  return found;
}

/// Returns the restart between two traces; nothing if the second shows no state at its begin.
std::optional<Restart> restart_between(const RecordedRun& before, const RecordedRun& after) {
  if (before.steps().empty() || after.steps().empty())
    return std::nullopt;
  const int64_t first = after.steps().front(), last = before.steps().back();
  const std::vector<TensorKey> state = first_state(after, first);
  if (state.empty())
    return std::nullopt;
  const int64_t numbered = first > 1 && first - 1 <= last ? first - 1 : last;
  Restart restart{&before, &after, update_resumed_from(before, after, state).value_or(numbered), first};
  if (first > 1)
    restart.saved = numbered;  // the run itself says after which update it continues
  pair_up(restart, state, origin_of);
  return restart;
}

}  // namespace

std::optional<bool> same_bits(const RecordedRun& a, const TensorKey& key_a, const RecordedRun& b,
                              const TensorKey& key_b) {
  const trace::SketchRow *row_a = a.trace().find_sketch(key_a), *row_b = b.trace().find_sketch(key_b);
  if (row_a != nullptr && row_b != nullptr)
    return row_a->dtype == row_b->dtype && row_a->shape == row_b->shape && row_a->digest == row_b->digest;
  if (!a.has_values(key_a) || !b.has_values(key_b))
    return std::nullopt;
  const TensorView view_a = a.trace().tensor(key_a), view_b = b.trace().tensor(key_b);
  return view_a.dtype == view_b.dtype && view_a.shape == view_b.shape &&
         std::ranges::equal(view_a.raw(), view_b.raw());
}

std::vector<Restart> restarts_of(const RecordedRun& run) {
  std::vector<Restart> restarts;
  if (run.before() != nullptr)
    if (auto restart = restart_between(*run.before(), run))
      restarts.push_back(std::move(*restart));
  for (const int64_t step : run.steps()) {
    const std::vector<TensorKey> loaded = loaded_at(run, step);
    if (loaded.empty() || (run.before() != nullptr && step == run.steps().front()))
      continue;
    restarts.push_back({&run, &run, step - 1, step});
    pair_up(restarts.back(), loaded, origin_of);
  }
  return restarts;
}

}  // namespace parity::laws
