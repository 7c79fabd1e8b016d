// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/propose/proposal.hpp"

#include <algorithm>
#include <iterator>

#include "harness/coverage/propose/arm_settings.hpp"
#include "harness/coverage/propose/variation.hpp"
#include "harness/suite/cases/precision.hpp"

namespace parity::coverage {
namespace {

using suite::FlatConfig;

constexpr size_t draws_per_round = 80;
constexpr size_t arms_per_case = 3;

bool is_execution(size_t feature) {
  return features()[feature].role == Role::execution;
}

/// Returns the features of a complete config. An acting feature counts only if it was chosen, since by
/// default it may act and does not.
std::vector<size_t> features_of(const FlatConfig& complete, const std::vector<size_t>& chosen) {
  std::vector<size_t> has;
  for (size_t i = 0; i < features().size(); ++i)
    if (features()[i].is_in(complete) &&
        (features()[i].role != Role::acting || std::ranges::find(chosen, i) != chosen.end()))
      has.push_back(i);
  return has;
}

void insert_pairs(PairSet& pairs, const std::vector<size_t>& features) {
  for (size_t i = 0; i < features.size(); ++i)
    for (size_t k = i + 1; k < features.size(); ++k)
      pairs.emplace(std::minmax(features[i], features[k]));
}

/// Seconds of a run of small_run() on a machine of two cores: means of 159 runs of cases tagged `pairs`.
/// Ranks wait for each other, so a run of several costs far more than a run of one.
double seconds_of(int64_t ranks) {
  return ranks == 1 ? 0.2 : 0.45 * static_cast<double>(ranks);
}

/// Relative time that a case takes. The noise of 16-bit arms has to be measured too, once.
double cost_of(const ProposedCase& proposed) {
  double cost = seconds_of(1);
  for (const ProposedArm& arm : proposed.arms)
    cost += seconds_of(arm.ranks);
  return suite::computes_in_16_bits(proposed.base) ? 2 * cost : cost;
}

std::string joined_names(const std::vector<size_t>& chosen, size_t most) {
  std::string name;
  for (size_t i = 0; i < std::min(most, chosen.size()); ++i)
    name.append(i == 0 ? "" : "_").append(features()[chosen[i]].name);
  return name.empty() ? "plain" : name;
}

/// Returns the features that `others` lacks.
std::vector<size_t> own_of(const std::vector<size_t>& features, const std::vector<size_t>& others) {
  std::vector<size_t> own;
  std::ranges::copy_if(features, std::back_inserter(own),
                       [&](size_t i) { return std::ranges::find(others, i) == others.end(); });
  return own;
}

/// Returns the configs of each case: its base, then those of its arms.
std::vector<FlatConfig> configs_of(const std::vector<ProposedCase>& cases) {
  std::vector<FlatConfig> configs;
  for (const ProposedCase& each : cases) {
    configs.push_back(each.base);
    for (const ProposedArm& arm : each.arms) {
      configs.push_back(each.base);
      for (const auto& [key, value] : arm.settings)
        configs.back()[key] = value;
    }
  }
  return configs;
}

/// Drops arms without settings and without a feature of their own, and arms with the features of another.
/// Numbers names that several have.
void make_distinct(std::vector<ProposedArm>& arms) {
  std::set<std::string> names;
  std::vector<ProposedArm> kept;
  for (ProposedArm& arm : arms) {
    const bool known =
        std::ranges::any_of(kept, [&](const ProposedArm& each) { return each.features == arm.features; });
    if (arm.settings.empty() || arm.name == "plain" || known)
      continue;
    const std::string stem = arm.name;
    for (int number = 2; !names.insert(arm.name).second; ++number)
      arm.name = stem + "_" + std::to_string(number);
    kept.push_back(std::move(arm));
  }
  arms = std::move(kept);
}

}  // namespace

/// Features chosen for a base or an arm.
struct Proposer::Choice {
  const FlatConfig* base = nullptr;  ///< of an arm; null: this is a base
  FlatConfig settings;
  std::vector<size_t> features;
  std::vector<FlatConfig> shorter;  ///< settings before each feature but the first
};

Proposer::Proposer(const std::vector<Pair>& pairs, Validator validate, uint64_t seed)
    : allowed_(features().size(), std::vector<bool>(features().size(), true)),
      validate_(std::move(validate)),
      random_(seed) {
  for (const Pair& pair : pairs) {
    if (pair.state == PairState::refused || pair.state == PairState::exclusive)
      allowed_[pair.one][pair.other] = allowed_[pair.other][pair.one] = false;
    else if (pair.state != PairState::covered)
      wanted_.emplace(pair.one, pair.other);
  }
}

bool Proposer::allowed(size_t one, size_t other) const {
  return allowed_[one][other];
}

size_t Proposer::gain(size_t feature, const std::vector<size_t>& others) const {
  return std::ranges::count_if(others,
                               [&](size_t other) { return wanted_.contains(std::minmax(feature, other)); });
}

bool Proposer::add(Choice& choice, size_t feature, const std::vector<size_t>& others) {
  const auto fits = [&](size_t other) { return other != feature && allowed(feature, other); };
  if (!std::ranges::all_of(choice.features, fits) || !std::ranges::all_of(others, fits))
    return false;
  std::vector<FlatConfig> recipes = features()[feature].recipes;
  std::ranges::shuffle(recipes, random_);
  for (const FlatConfig& recipe : recipes) {
    std::optional<FlatConfig> both =
        choice.base ? with_recipe(*choice.base, choice.settings, recipe) : join(choice.settings, recipe);
    if (!both)
      continue;
    if (!choice.features.empty())
      choice.shorter.push_back(choice.settings);
    choice.settings = std::move(*both);
    choice.features.push_back(feature);
    return true;
  }
  return false;
}

/// Adds features, those with most wanted pairs first, with some noise.
void Proposer::fill(Choice& choice, const std::vector<size_t>& others, size_t most, bool execution) {
  std::vector<std::pair<double, size_t>> order;
  std::uniform_real_distribution<double> noise(0, 4);
  std::vector<size_t> present = choice.features;
  present.insert(present.end(), others.begin(), others.end());
  for (size_t i = 0; i < features().size(); ++i)
    if (is_execution(i) == execution && !features()[i].recipes.empty())
      order.emplace_back(static_cast<double>(gain(i, present)) + noise(random_), i);
  std::ranges::sort(order, std::greater<>());
  for (const auto& [score, feature] : order)
    if (choice.features.size() < most)
      add(choice, feature, others);
}

ProposedCase Proposer::draw_case() {
  const auto some = [&](size_t low, size_t high) {
    return std::uniform_int_distribution<size_t>(low, high)(random_);
  };
  std::vector<size_t> first;
  if (!wanted_.empty()) {
    const auto pair = std::next(wanted_.begin(), static_cast<std::ptrdiff_t>(some(0, wanted_.size() - 1)));
    first = {pair->first, pair->second};
  }
  Choice base;
  for (const size_t feature : first)
    if (!is_execution(feature))
      add(base, feature, {});
  fill(base, {}, some(2, 12), false);
  ProposedCase result;
  result.base = with_settings(base.settings);
  result.features = base.features;
  for (const FlatConfig& settings : base.shorter)
    result.shorter.push_back(with_settings(settings));
  for (size_t i = 0; i < arms_per_case; ++i) {
    Choice arm{&result.base, {}, {}, {}};
    for (const size_t feature : first)
      if (i == 0 && is_execution(feature))
        add(arm, feature, base.features);
    fill(arm, base.features, some(3, 10), true);
    if (!arm.features.empty())
      result.arms.push_back({"", arm.settings, arm.features, 1, false, arm.shorter});
  }
  result.name = joined_names(base.features, 4);
  return result;
}

/// Drops the last feature of each base and arm that the trainer refuses. \return whether any was refused
bool Proposer::shorten_refused(std::vector<ProposedCase>& cases) const {
  const std::vector<Answer> answers = validate_(configs_of(cases));
  const auto shorten = [](FlatConfig& settings, std::vector<FlatConfig>& shorter) {
    settings = shorter.empty() ? FlatConfig() : shorter.back();
    if (!shorter.empty())
      shorter.pop_back();
  };
  bool any = false;
  size_t at = 0;
  for (ProposedCase& each : cases) {
    const bool refused = !answers[at++].problem.empty();
    if (refused)
      shorten(each.base, each.shorter);
    for (ProposedArm& arm : each.arms) {
      const bool arm_refused = !answers[at++].problem.empty() && !refused;
      if (arm_refused)
        shorten(arm.settings, arm.shorter);
      any = any || arm_refused;
    }
    any = any || refused;
  }
  return any;
}

std::vector<ProposedCase> Proposer::keep_valid(std::vector<ProposedCase> cases) const {
  constexpr int most_rounds = 12;
  for (int round = 0; round < most_rounds; ++round) {
    for (ProposedCase& each : cases)
      std::erase_if(each.arms, [&](ProposedArm& arm) {
        return arm.settings.empty() || !keeps_model(each.base, arm.settings) ||
               !cut_alike(each.base, arm.settings);
      });
    std::erase_if(cases, [](const ProposedCase& each) { return each.base.empty() || each.arms.empty(); });
    if (!shorten_refused(cases))
      break;
  }
  const std::vector<Answer> answers = validate_(configs_of(cases));
  const std::vector<FlatConfig> configs = configs_of(cases);
  size_t at = 0;
  for (ProposedCase& each : cases) {
    const std::vector<size_t> chosen = each.features;
    each.features = features_of(with_model(configs[at], answers[at]), chosen);
    const bool valid = answers[at++].problem.empty();
    for (ProposedArm& arm : each.arms) {
      arm.features = features_of(with_model(configs[at], answers[at]), chosen);
      arm.ranks = answers[at].ranks;
      arm.name = joined_names(own_of(arm.features, each.features), 3);
      if (!answers[at++].problem.empty() || !valid)
        arm.settings.clear();
    }
    make_distinct(each.arms);
  }
  std::erase_if(cases, [](const ProposedCase& each) { return each.arms.empty(); });
  return cases;
}

std::vector<ProposedCase> Proposer::draw(size_t count) {
  std::vector<ProposedCase> cases;
  for (size_t i = 0; i < count; ++i)
    cases.push_back(draw_case());
  return keep_valid(std::move(cases));
}

std::vector<ProposedCase> Proposer::draw_varied(size_t count) {
  std::vector<ProposedCase> cases = draw(count);
  for (ProposedCase& each : cases)
    vary(each, random_);
  return keep_valid(std::move(cases));
}

std::vector<ProposedCase> Proposer::cover(size_t most) {
  constexpr int most_idle_rounds = 10;
  std::vector<ProposedCase> chosen;
  int idle_rounds = 0;
  while (chosen.size() < most && !wanted_.empty() && idle_rounds < most_idle_rounds) {
    const ProposedCase* best = nullptr;
    double best_score = 0;
    const std::vector<ProposedCase> drawn = draw(draws_per_round);
    for (const ProposedCase& each : drawn) {
      const PairSet pairs = pairs_of(each);
      const auto fresh = std::ranges::count_if(pairs, [&](const auto& p) { return wanted_.contains(p); });
      if (const double score = static_cast<double>(fresh) / cost_of(each); score > best_score) {
        best = &each;
        best_score = score;
      }
    }
    if (best == nullptr) {
      ++idle_rounds;
      continue;
    }
    idle_rounds = 0;
    for (const auto& pair : pairs_of(*best))
      wanted_.erase(pair);
    chosen.push_back(*best);
  }
  return chosen;
}

PairSet pairs_of(const ProposedCase& proposed) {
  PairSet pairs;
  insert_pairs(pairs, proposed.features);
  for (const ProposedArm& arm : proposed.arms)
    insert_pairs(pairs, arm.features);
  return pairs;
}

}  // namespace parity::coverage
