// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/bisect.hpp"

namespace parity::cli {

void add_bisect(CLI::App& app, Action& action) {
  app.require_subcommand(1);
  const auto add = [&](const char* name, const char* summary, void (*options)(CLI::App&, Action&)) {
    options(*app.add_subcommand(name, summary), action);
  };
  add("commits", "Which commits between two moved the numbers, biggest first", add_bisect_commits);
  add("traces", "Where two traces part: step, phase, tensor, element", add_bisect_traces);
  app.footer(
      "Examples:\n"
      "  parity bisect commits v1.2 HEAD --case lr/warmup_index\n"
      "  parity bisect traces a.h5 b.h5\n"
      "Exit status 0: the sides do not differ. 1: they do, and here is where.");
}

}  // namespace parity::cli
