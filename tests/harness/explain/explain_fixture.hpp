// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "harness/explain/explain.hpp"
#include "tests/support/traces/planted_runs.hpp"

namespace parity::explain {

using trace::Phase;

/// Tests of explanations over invented runs, which a test changes before it compares them.
class ExplainTest : public PlantedTest {
 protected:
  /// A run with everything that a recipe has.
  static PlantedRun run_of() {
    PlantedRun run;
    run.channels = {{"lr", std::vector<double>{0.1, 0.2, 0.3, 0.4}},
                    {"weight_decay", std::vector<double>(4, 0.1)},
                    {"weight_decay.1", std::vector<double>(4, 0.0)},
                    {"grad_norm", std::vector<double>{2, 0.5, 3, 0.25}},
                    {"tokens", std::vector<int64_t>(4, 64)},
                    {"batch_digest", std::vector<int64_t>{11, 12, 13, 14}}};
    for (const char* name : {"layers.0.wq.weight", "layers.1.wq.weight", "norm.weight"})
      run.tensors.push_back({{0, Phase::param, name}, std::vector<float>{1, 2, 3}});
    run.config = {{"lr", {{"warmup_steps", 4}}}, {"seed", 1}};
    run.provenance = {{"torch", "2.11.0"}, {"recipe", recipe()}};
    return run;
  }
  static Json recipe() {
    return {
        {"parameters",
         {{"count", 3}, {"elements", 9}, {"dtypes", {{"float32", 3}}}, {"frozen", Json::object()}}},
        {"optimizers", {"AdamW"}},
        {"groups",
         {{{"optimizer", 0}, {"parameters", {{"layers.*.wq.weight", 2}}}, {"settings", {{"amsgrad", false}}}},
          {{"optimizer", 0}, {"parameters", {{"norm.weight", 1}}}, {"settings", {{"amsgrad", false}}}}}},
        {"without_optimizer", Json::object()},
        {"clip", {{"max_norm", 1.0}, {"norm_type", 2.0}}},
        {"micro_batches", 2},
        {"attention", "sdpa"}};
  }

  Explanation explain_pair(const PlantedRun& first, const PlantedRun& second) {
    return explain(*write("first", first), *write("second", second));
  }

  static const Finding& part(const Explanation& found, std::string_view topic) {
    for (const Explanation::Part& each : found.parts)
      if (each.topic->name == topic)
        return each.finding;
    throw std::logic_error("no such topic");
  }
  /// The rows of all topics: "data: tokens of an update: 64 | 128".
  static std::vector<std::string> rows(const Explanation& found) {
    std::vector<std::string> lines;
    for (const Explanation::Part& each : found.parts)
      for (const Row& row : each.finding.rows)
        lines.push_back(std::string(each.topic->name) + ": " + row.what + ": " + row.first + " | " +
                        row.second);
    return lines;
  }
  static std::string unknown(const Explanation& found) {
    std::string text;
    for (const Explanation::Part& each : found.parts)
      for (const std::string& line : each.finding.unknown)
        text += line + "\n";
    return text;
  }
};

}  // namespace parity::explain
