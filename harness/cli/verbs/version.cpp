// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "harness/cli/options/own_program.hpp"
#include "harness/cli/options/trainer.hpp"
#include "harness/cli/verbs/verbs.hpp"
#include "harness/golden/golden_file.hpp"
#include "harness/laws/audit.hpp"
#include "harness/results/schema.hpp"
#include "harness/trace/format/schema.hpp"
#include "harness/trace/hdf5/hdf5.hpp"
#include "parity/build_facts.hpp"

namespace parity::cli {
namespace {

/// Returns version, build, libraries, the file formats of this program, and the trainer that it would start.
Json facts() {
  Json facts = producer();
  facts["build_type"] = build_facts::build_type;
  facts["compiler"] = build_facts::compiler;
  facts["sanitizer"] = build_facts::sanitizer;
  facts["hdf5"] = hdf5::library_version();
  facts["trace_schema"] = trace::trace_schema;
  facts["golden_schema"] = golden::golden_schema;
  facts["results_schema"] = results::schema;
  facts["audit_schema"] = laws::audit_schema;
  const std::filesystem::path trainer = find_trainer("");
  facts["trainer"] = std::filesystem::exists(trainer) ? Json(trainer.string()) : Json();
  return facts;
}

void print_version(const Json& facts) {
  fmt::print("parity {} ({}{})\n", build_facts::version, build_facts::commit,
             build_facts::dirty ? ", changed since" : "");
  for (const char* key : {"build_type", "compiler", "sanitizer", "hdf5", "trace_schema", "golden_schema",
                          "results_schema", "audit_schema", "trainer"}) {
    std::string label = key;
    std::replace(label.begin(), label.end(), '_', ' ');
    const Json& value = facts.at(key);
    const std::string text = value.is_string() ? value.get<std::string>() : "";
    fmt::print("  {:<15}  {}\n", label, text.empty() ? "none" : text);
  }
}

}  // namespace

void add_version(CLI::App& app, Action& action) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "Print the facts as JSON");
  app.footer("Examples:\n  parity version --json");
  app.callback([json, &action] {
    action = [json] {
      if (*json)
        fmt::print("{}\n", facts().dump(1));
      else
        print_version(facts());
      return ExitCode::agree;
    };
  });
}

}  // namespace parity::cli
