// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/pairs.hpp"

#include <utility>

namespace parity::coverage {
namespace {

using suite::FlatConfig;

/// Gives a pair its state from the arms; `missing` if none has it.
Pair pair_of(size_t one, size_t other, const std::vector<ArmFeatures>& arms) {
  Pair pair{one, other};
  std::vector<std::string> maybe;
  for (const ArmFeatures& arm : arms) {
    const Held both = arm.both(one, other);
    if (both == Held::yes)
      pair.arms.push_back(arm.name);
    else if (both == Held::unknown)
      maybe.push_back(arm.name);
  }
  if (!pair.arms.empty())
    pair.state = PairState::covered;
  else if (!maybe.empty()) {
    pair.state = PairState::not_run;
    pair.arms = std::move(maybe);
  }
  return pair;
}

/// The configs to ask about, each for one pair.
struct Questions {
  std::vector<FlatConfig> configs, settings;
  std::vector<size_t> pairs;
};

Questions questions_of(const std::vector<Pair>& pairs) {
  Questions questions;
  for (size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].state != PairState::missing)
      continue;
    for (FlatConfig& settings : settings_with(pairs[i].one, pairs[i].other)) {
      questions.configs.push_back(with_settings(settings));
      questions.settings.push_back(std::move(settings));
      questions.pairs.push_back(i);
    }
  }
  return questions;
}

/// Takes the trainer's answer about settings that should have both features of a pair.
void take(Pair& pair, const FlatConfig& settings, const FlatConfig& config, const Answer& answer) {
  if (pair.state == PairState::missing)
    return;
  if (!answer.problem.empty()) {
    if (pair.state == PairState::exclusive)
      pair = {pair.one, pair.other, PairState::refused, {}, answer.problem, settings};
    return;
  }
  const FlatConfig complete = with_model(config, answer);
  if (features()[pair.one].is_in(complete) && features()[pair.other].is_in(complete))
    pair = {pair.one, pair.other, PairState::missing, {}, "", settings};
}

}  // namespace

Held ArmFeatures::both(size_t one, size_t other) const {
  if (held[one] == Held::no || held[other] == Held::no)
    return Held::no;
  return held[one] == Held::yes && held[other] == Held::yes ? Held::yes : Held::unknown;
}

std::vector<Held> held_features(const FlatConfig& config, const trace::Trace* trace) {
  std::vector<Held> all;
  for (const Feature& feature : features()) {
    if (feature.role == Role::acting)
      all.push_back(held(find_act(feature.name), config, trace));
    else
      all.push_back(feature.is_in(config) ? Held::yes : Held::no);
  }
  return all;
}

std::vector<FlatConfig> settings_with(size_t one, size_t other) {
  std::vector<FlatConfig> all;
  for (const FlatConfig& first : features()[one].recipes)
    for (const FlatConfig& second : features()[other].recipes)
      if (std::optional<FlatConfig> both = join(first, second))
        all.push_back(std::move(*both));
  return all;
}

std::vector<Pair> classify_pairs(const std::vector<ArmFeatures>& arms, const Validator& validate) {
  std::vector<Pair> pairs;
  for (size_t one = 0; one < features().size(); ++one)
    for (size_t other = one + 1; other < features().size(); ++other)
      pairs.push_back(pair_of(one, other, arms));
  const Questions questions = questions_of(pairs);
  for (Pair& pair : pairs)
    if (pair.state == PairState::missing)
      pair.state = PairState::exclusive;  // until some settings can be joined
  if (questions.configs.empty())
    return pairs;
  const std::vector<Answer> answers = validate(questions.configs);
  for (size_t i = 0; i < answers.size(); ++i)
    take(pairs[questions.pairs[i]], questions.settings[i], questions.configs[i], answers[i]);
  return pairs;
}

}  // namespace parity::coverage
