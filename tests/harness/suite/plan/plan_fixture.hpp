// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/suite/cases/read/file.hpp"
#include "harness/suite/plan/plan.hpp"

namespace parity::suite {

inline constexpr const char* plan_schema =
    R"({"schema": "parity.config/1", "channels": ["loss", "lr", "grad_norm"], "keys": {
  "steps": {"type": "integer", "default": 10},
  "dtype": {"type": "string", "default": "float32", "values": ["float32", "float64", "exact"]},
  "lr.base": {"type": "number", "default": 0.0008},
  "lr.warmup_steps": {"type": "integer", "default": 2},
  "lr.first_index": {"type": "integer", "default": 1, "values": [0, 1]},
  "data.path": {"type": "string", "default": ""},
  "data.paths": {"type": "strings", "default": [], "numeric": false},
  "data.weights": {"type": "numbers", "default": []},
  "device": {"type": "string", "default": "cpu", "values": ["cpu", "cuda"]},
  "checkpoint.restart_after": {"type": "integer", "default": 0},
  "checkpoint.exclude_from_loading": {"type": "strings", "default": [], "values": ["optimizer", "optimizer.step"]},
  "verbose": {"type": "boolean", "default": false, "numeric": false},
  "threads": {"type": "integer", "default": 1}}})";

/// Plans cases that are given as text, with a trainer that never starts.
class PlanTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "plan_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    write_file(folder_ / "schema.json", plan_schema);
    plan_ = make_plan("program 1");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<Plan> make_plan(const std::string& program, const Json& gpus = Json::object(),
                                  const Environment& environment = {}) const {
    PlanContext context;
    context.environment = environment;
    context.trainer = folder_ / "trainer";
    context.gpus = gpus;
    context.schema_file = folder_ / "schema.json";
    context.cpu = {{"vendor", "test"}};
    context.hash_program = [program](const auto&) { return program; };
    context.hash_file = [](const std::filesystem::path& file) {
      return "hash of " + file.filename().string();
    };
    return std::make_unique<Plan>(context);
  }

  static Case parse(const std::string& text, const std::string& name = "name") {
    return parse_case(text, "cases/topic/" + name + ".toml");
  }
  void add(const std::string& text, const std::string& name = "name") { plan_->add(parse(text, name)); }
  const PlannedArm& arm(size_t i, size_t item = 0) const { return plan_->cases().at(item).arms.at(i); }
  const PlannedRun& run(size_t i, size_t item = 0) const { return plan_->runs().at(arm(i, item).run); }
  const PlannedRun& twin(size_t i) const { return plan_->runs().at(arm(i).twin); }
  std::string complaint(const std::string& text) {
    try {
      add(text);
    } catch (const UserError& error) {
      return error.what();
    }
    return "no complaint";
  }

  static std::string arms(const std::string& a, const std::string& b) {
    return "[arms.a]\n" + a + "\n[arms.b]\n" + b + "\n";
  }

  static std::string check(const std::string& quantity, const std::string& relation,
                           const std::string& more = "") {
    return "[[checks]]\n" + quantity + "\nrelation = \"" + relation + "\"\nbecause = \"x\"\n" + more + "\n";
  }

  /// A case on two arms that need twins.
  static std::string rounding_case(const std::string& more = "") {
    return arms("", "lr.base = 2") + check("channel = \"loss\"", "equivalent", more);
  }

  std::filesystem::path folder_;
  std::unique_ptr<Plan> plan_;
};

}  // namespace parity::suite
