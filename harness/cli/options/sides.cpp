// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/cli/options/sides.hpp"

#include "harness/cli/options/repeated.hpp"

namespace parity::cli {

CLI::Option* SideOptions::add_to(CLI::App& app) {
  CLI::Option* first =
      app.add_option("GOOD_ARM", good,
                     "Reference side: CASE:ARM, CASE (its reference arm), or a run config (TOML, "
                     "or a run folder's config.json)")
          ->type_name("CASE:ARM");
  app.add_option(
         "BAD_ARM", bad,
         "Other side: an arm of the same case, CASE:ARM, or a run config (default: the case's other arm)")
      ->type_name("ARM");
  add_repeated(app, "--set", settings, "Set a config key of both sides, or of one; may be repeated",
               "[ARM:]KEY=VALUE");
  app.add_option("--cases", root, "Folder of the cases")->type_name("DIR")->capture_default_str();
  run.add_to(app);
  return first;
}

}  // namespace parity::cli
