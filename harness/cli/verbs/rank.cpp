// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "harness/cli/verbs/verbs.hpp"
#include "harness/suite/launch/execute_rank.hpp"

namespace parity::cli {

void add_rank(CLI::App& app, Action& action) {
  auto folder = std::make_shared<std::string>();
  app.add_option("folder", *folder, "Folder of the launch, in the folder of a run")
      ->type_name("DIR")
      ->required();
  auto parity = std::make_shared<std::string>();
  app.add_option("--parity", *parity,
                 "Where parity serves that folder to a machine that does not see it (default: it sees it)")
      ->type_name("ADDRESS:PORT/KEY");
  app.footer(
      "Example:\n"
      "  parity rank /shared/out/runs/0123456789abcdef/launch.0\n"
      "A launcher that an arm names (launcher = \"torchrun\") calls this verb for each rank, whose\n"
      "number is in the launcher's variables. DIR has the rank's command. How the rank ended is in\n"
      "DIR/rank.R.ended.json.");
  app.callback([folder, parity, &action] {
    action = [folder, parity] { return suite::execute_rank(*folder, *parity); };
  });
}

}  // namespace parity::cli
