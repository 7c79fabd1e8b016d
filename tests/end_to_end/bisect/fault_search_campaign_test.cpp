// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The large campaign: an hour of training. Label slow, which the test presets leave out.
#include <gmock/gmock.h>

#include "tests/end_to_end/faults/planted_fault.hpp"

namespace parity {
namespace {

using FaultSearchCampaign = PlantedFaultTest;

/// A setting that one operator receives or computes by, and the argument that shows it; "" for a result.
struct OperatorSetting {
  const char* settings;
  const char* module;
  const char* argument;
};

constexpr OperatorSetting operator_settings[] = {
    {"optimizer.eps = 1e-4\n", "optimizer", "eps"},
    {"optimizer.beta2 = 0.9\n", "optimizer", "beta2"},
    {"optimizer.weight_decay = 0.3\n", "optimizer", "weight_decay"},
    {"lr.base = 0.008\n", "optimizer", "lr"},
    {"architecture.norm_eps = 1e-3\n", "layers.0.attention_norm", "eps"},
    {"architecture.rope = \"rotate_half\"\n", "layers.0.attention", ""},
};

TEST_F(FaultSearchCampaign, ThreeHundredFaults_99PercentAreLocated) {
  int64_t exact = 0;
  const std::vector<std::string> wrong = campaign(300, 1, exact);
  EXPECT_GE(exact, 297);
  for (const std::string& words : wrong)
    std::printf("not exact: %s\n", words.c_str());
}

/// From one process to each layout, with the rounding of another order of sums around the fault.
TEST_F(FaultSearchCampaign, FaultsAcrossLayouts_AreLocated) {
  const char *count = std::getenv("PARITY_FAULTS_OF_LAYOUT"), *seed = std::getenv("PARITY_FAULTS_SEED");
  const Score score = campaign_across(count ? std::strtoul(count, nullptr, 10) : 3,
                                      seed ? std::strtoul(seed, nullptr, 10) : 1);
  std::printf("%lld faults: step %lld, tensor %lld, innocent operators %lld\n",
              static_cast<long long>(score.faults), static_cast<long long>(score.steps),
              static_cast<long long>(score.places), static_cast<long long>(score.blamed));
  EXPECT_EQ(score.blamed, 0);
  EXPECT_GE(score.steps, score.faults * 98 / 100);
  EXPECT_GE(score.places, score.faults * 95 / 100);
}

/// A layout with another setting, from one process: the search ends at the operator that has the setting.
TEST_F(FaultSearchCampaign, SettingsAcrossLayouts_EndAtTheirOperator) {
  int64_t all = 0, found = 0;
  for (const char* name : {"pieces", "replicas", "shards", "hsdp", "tensor", "pipeline", "context"})
    for (const OperatorSetting& each : operator_settings) {
      const auto layout = std::ranges::find(fault_layouts, std::string_view(name), &FaultLayout::name);
      const bisect::SearchRecord record = search_settings(*layout, each.settings);
      const auto stage = std::ranges::find_if(record.stages, [](const bisect::SearchStage& of) {
        return of.name == "operator" || of.name == "float64-operator";
      });
      const bool is_found = stage != record.stages.end() && stage->details.at("module") == each.module &&
                            (*each.argument == '\0' || stage->details.at("slot") == each.argument);
      ++all;
      found += is_found;
      std::printf("%s %s %s: %s\n", is_found ? "operator" : "WRONG", name, each.settings,
                  record.sentence.c_str());
      std::fflush(stdout);
    }
  std::printf("%lld of %lld operators\n", static_cast<long long>(found), static_cast<long long>(all));
  EXPECT_GE(found, all * 9 / 10);
}

}  // namespace
}  // namespace parity
