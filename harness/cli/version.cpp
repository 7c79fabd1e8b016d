// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include "harness/cli/options.hpp"
#include "harness/cli/verbs.hpp"
#include "parity/build_facts.hpp"

namespace parity::cli {

void add_version(CLI::App& app, Action& action) {
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "As JSON");
  app.footer("Example:\n  parity version --json");
  app.callback([json, &action] {
    action = [json] {
      Json facts = producer();
      facts["build_type"] = build_facts::build_type;
      facts["compiler"] = build_facts::compiler;
      if (*json)
        fmt::print("{}\n", facts.dump(1));
      else
        fmt::print("parity {} ({}{}), {} build, {}\n", build_facts::version, build_facts::commit,
                   build_facts::dirty ? ", changed since" : "", build_facts::build_type,
                   build_facts::compiler);
      return ExitCode::agree;
    };
  });
}

}  // namespace parity::cli
