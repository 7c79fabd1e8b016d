// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/static_plots.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/process.hpp"
#include "reports/markdown.hpp"
#include "reports/page_data.hpp"
#include "reports/plot_script.hpp"
#include "reports/slugs.hpp"
#include "reports/text.hpp"
#include "reports/verdicts.hpp"

namespace parity::reports {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::minutes patience{5};

Process start(const fs::path& script, const fs::path& log) {
  try {
    return Process::spawn({.argv = {"gnuplot", script.string()},
                           .environment = {{"GNUTERM", "dumb"}},
                           .stdout_file = log,
                           .stderr_file = log});
  } catch (const UserError& error) {
    throw UserError(std::string(error.what()) + "; static plots need gnuplot: apt-get install gnuplot-nox",
                    ExitCode::missing);
  }
}

/// Runs each script by a gnuplot of its own.
void run_all(const std::vector<std::string>& scripts, const fs::path& folder) {
  const fs::path log = folder / "gnuplot.log";
  std::vector<fs::path> files;
  std::vector<Process> running;
  for (size_t i = 0; i < scripts.size(); ++i) {
    files.push_back(folder / fmt::format("part{}.gnuplot", i));
    write_file(files.back(), scripts[i]);
    running.push_back(start(files.back(), log));
  }
  for (Process& process : running) {
    const auto status = process.wait_for(patience);
    if (!status || !status->succeeded())
      throw UserError(
          fmt::format("gnuplot could not draw ({}): {}; the scripts are in {}",
                      status ? status->words() : "it takes too long", tail_of(log, 5), folder.string()),
          ExitCode::missing);
  }
  for (const fs::path& file : files)
    fs::remove(file);
  fs::remove(log);
}

std::string heading(const Case& item) {
  const VerdictLook* look = find_verdict(item.verdict);
  return fmt::format("### {} {}\n\n{} **{}**: {}\n\n",
                     item.passed     ? "✅"
                     : item.failed() ? "❌"
                                     : "⏭️",
                     markdown::code(item.name), look ? look->sign : "", item.verdict,
                     markdown::plain(item.sentence, 600));
}

}  // namespace

size_t write_plots(const Results& results, const fs::path& folder, int jobs) {
  fs::create_directories(folder);
  std::vector<std::string> scripts(static_cast<size_t>(std::max(1, jobs)));
  Slugs names("");
  std::string page;
  size_t curves = 0;
  for (const Case& item : results.cases) {
    page += heading(item);
    for (const Curve* curve : shown_curves(item)) {
      if (curve->steps.empty())
        continue;
      const std::string name = names.make(shorten(item.name, 60) + "-" + shorten(curve->channel, 40));
      scripts[curves++ % scripts.size()] += plot_script(item, *curve, folder / name);
      page += fmt::format("![{}]({}.png)\n", markdown::plain(item.name + ": " + curve->channel, 120), name);
    }
    page += "\n";
  }
  std::erase(scripts, "");
  run_all(scripts, folder);
  write_file(folder / "plots.md", page);
  return curves;
}

}  // namespace parity::reports
