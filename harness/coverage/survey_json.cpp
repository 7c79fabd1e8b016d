// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/coverage/survey_json.hpp"

#include "harness/coverage/spare.hpp"

namespace parity::coverage {
namespace {

Json features_json() {
  Json all = Json::array();
  for (const Feature& feature : features())
    all.push_back({{"name", feature.name}, {"role", name_of(feature.role)}, {"sentence", feature.sentence}});
  return all;
}

/// Returns the names of the features in a state.
Json names_held(const ArmFeatures& arm, Held state) {
  Json names = Json::array();
  for (size_t i = 0; i < arm.held.size(); ++i)
    if (arm.held[i] == state)
      names.push_back(features()[i].name);
  return names;
}

Json arms_json(const Survey& survey) {
  Json all = Json::array();
  for (const ArmFeatures& arm : survey.arms)
    all.push_back({{"name", arm.name},
                   {"features", names_held(arm, Held::yes)},
                   {"not_run", names_held(arm, Held::unknown)}});
  return all;
}

Json pair_json(const Pair& pair) {
  Json json = {{"features", {features()[pair.one].name, features()[pair.other].name}},
               {"state", name_of(pair.state)},
               {"arms", pair.arms}};
  if (!pair.why.empty())
    json["why"] = pair.why;
  if (!pair.example.empty())
    json["settings"] = pair.example;
  return json;
}

Json acts_json(const Survey& survey) {
  Json all = Json::array();
  for (const ActCount& act : survey.acts)
    all.push_back({{"name", act.name}, {"acted", act.acted}, {"idle", act.idle}, {"unknown", act.unknown}});
  return all;
}

Json starts_json(const Survey& survey) {
  Json all = Json::array();
  for (const WayToStart& way : survey.starts) {
    Json names = Json::array();
    for (const size_t feature : way.features)
      names.push_back(features()[feature].name);
    all.push_back({{"name", way.name}, {"arms", way.arms}, {"features", names}});
  }
  return all;
}

}  // namespace

Json survey_json(const Survey& survey) {
  Json counts = Json::object(), pairs = Json::array();
  for (const std::string& state : names_of<PairState>())
    counts[state] = survey.count(parse_enum<PairState>(state));
  for (const Pair& pair : survey.pairs)
    pairs.push_back(pair_json(pair));
  return {{"schema", "parity.coverage/1"},
          {"features", features_json()},
          {"arms", arms_json(survey)},
          {"arms_run", survey.arms_run},
          {"command_arms", survey.command_arms},
          {"acts", acts_json(survey)},
          {"starts", starts_json(survey)},
          {"spare", spare_arms(survey.arms)},
          {"counts", counts},
          {"pairs", pairs}};
}

}  // namespace parity::coverage
