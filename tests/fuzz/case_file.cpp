// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/suite/cases/read/file.hpp"
#include "harness/suite/plan/plan.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/targets.hpp"

namespace parity::fuzz {
namespace {

constexpr std::string_view schema = R"({"schema": "parity.config/1", "channels": ["loss", "lr"], "keys": {
  "model": {"type": "string", "default": "llama3.debug", "values": ["llama3.debug"]},
  "steps": {"type": "integer", "default": 10}, "threads": {"type": "integer", "default": 1},
  "dtype": {"type": "string", "default": "float32"}, "data.path": {"type": "string", "default": ""},
  "lr.base": {"type": "number", "default": 0.1}, "lr.warmup_steps": {"type": "integer", "default": 0},
  "checkpoint.restart_after": {"type": "integer", "default": 0}, "tags": {"type": "strings", "default": []}}})";

}  // namespace

void read_case_file(std::string_view bytes) {
  const MemoryFile schema_file(schema);
  suite::PlanContext context;
  context.schema_file = schema_file.path();
  context.hash_program = [](const auto&) { return "program"; };
  context.hash_file = [](const auto&) { return "file"; };
  try {
    const suite::Case item = suite::parse_case(bytes, "cases/fuzz/case.toml");
    suite::Plan plan(context);
    plan.add(item, suite::Twins::checks_and_golden);
    for (const auto& [id, run] : plan.runs()) {
      static_cast<void>(suite::nest(run.config));
      static_cast<void>(run.cost() + run.slots());
    }
  } catch (const UserError& error) {
    require(is_utf8(error.what()), "a message that is no UTF-8");
  }
}

}  // namespace parity::fuzz
