// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "harness/cli/verbs/verbs.hpp"
#include "harness/suite/slurm/execute.hpp"

namespace parity::cli {

void add_job(CLI::App& app, Action& action) {
  auto folder = std::make_shared<std::string>();
  app.add_option("folder", *folder, "Folder of the job, below OUT/jobs")->type_name("DIR")->required();
  app.footer(
      "Example:\n"
      "  parity job /shared/out/jobs/0123456789abcdef/000661318c661587-28d4\n"
      "Jobs that parity run --on SITE submits call this verb on their node. Its result, also a failure of "
      "the\n"
      "run, is DIR/result.json.");
  app.callback([folder, &action] { action = [folder] { return suite::execute_job(*folder); }; });
}

}  // namespace parity::cli
