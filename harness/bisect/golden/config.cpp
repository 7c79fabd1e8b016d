// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/golden/config.hpp"

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/bisect/options/sides.hpp"
#include "harness/bisect/search_record.hpp"
#include "harness/suite/cases/flat_config.hpp"

namespace parity::bisect {
namespace fs = std::filesystem;

GoldenConfigCommands golden_config_commands(const GoldenRuns& runs, const GoldenGap& gap,
                                            const suite::RunSettings& options) {
  if (!gap.config.differ() || runs.source.arm(gap.arm).is_command())
    return {};
  suite::FlatConfig config = runs.runs.planned.arm(gap.arm).config;
  for (const auto& [key, stored] : gap.config.stored.items())
    if (stored.is_null())
      config.erase(key);  // new since the golden, which was made with its default
    else
      config[key] = stored;
  fs::path file = search_record_file(options.out, "golden " + runs.source.name + ":" + gap.arm);
  file.replace_extension(".config.json");
  const std::string now = path_from_here(runs.source.file) + ":" + gap.arm;
  try {
    fs::create_directories(file.parent_path());
    write_file(file, json_text(suite::nest(config), 1) + "\n");
    require_known_keys(option_sides(file.string(), now, ".", {}), options.trainer);
  } catch (const UserError&) {
    return {};
  }
  std::vector<std::string> sides = {file.string(), now};
  suite::add_out_option(sides, options.out);
  return {"parity bisect options " + shell_quote(sides), "parity bisect " + shell_quote(sides)};
}

}  // namespace parity::bisect
