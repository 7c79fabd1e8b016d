// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/cli/verbs.hpp"
#include "harness/suite/merge_results.hpp"
#include "harness/suite/results.hpp"
#include "reports/render.hpp"

namespace parity::cli {
namespace fs = std::filesystem;
namespace {

struct Options {
  std::vector<std::string> folders;
  std::string out;
};

ExitCode report(const Options& options) {
  const std::vector<fs::path> folders(options.folders.begin(), options.folders.end());
  if (folders.size() > 1 && options.out.empty())
    throw UserError("several folders need a place for what they make together; give --out DIR");
  const fs::path out = options.out.empty() ? folders.front() : fs::path(options.out);
  const Json merged = merge_results(folders, out);
  if (folders.size() > 1 || !fs::equivalent(folders.front(), out))
    write_file(out / "results.json", merged.dump(1) + "\n");
  reports::render(out / "results.json", out);
  fmt::print("{}\n", (out / "index.html").string());
  return exit_code_of(merged);
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  app.add_option("DIR", options->folders, "Folders with a results.json")->required();
  app.add_option("--out", options->out, "Where the report goes (default: the folder itself)")
      ->type_name("DIR");
  app.footer(
      "Examples:\n"
      "  parity report out/suite\n"
      "  parity report out/shard1 out/shard2 --out out/all\n"
      "Exit status as that of the run.");
  app.callback([options, &action] { action = [options] { return report(*options); }; });
}

}  // namespace parity::cli
