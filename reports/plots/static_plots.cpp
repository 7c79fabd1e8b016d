// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/plots/static_plots.hpp"

#include <algorithm>
#include <deque>
#include <vector>

#include <fmt/format.h>

#include "harness/base/files/file.hpp"
#include "reports/model/curves/shown.hpp"
#include "reports/model/slugs.hpp"
#include "reports/model/text.hpp"
#include "reports/model/verdicts.hpp"
#include "reports/plots/gnuplot.hpp"
#include "reports/plots/script.hpp"
#include "reports/text/markdown.hpp"

namespace parity::reports {
namespace fs = std::filesystem;
namespace {

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

size_t write_plots(const ResultsFile& results, const fs::path& folder, int jobs) {
  const auto most = static_cast<size_t>(std::max(1, jobs));
  std::deque<NewFile> scripts;
  std::vector<fs::path> files;
  NewFile page(folder / "plots.md");
  Slugs names("");
  size_t curves = 0;
  for (size_t place = 0; place < results.results().cases.size(); ++place) {
    const Case item = results.whole(place);
    page.write(heading(item));
    for (const Curve& curve : shown_curves(item)) {
      if (curve.steps.empty())
        continue;
      const std::string name = names.make(shorten(item.name, 60) + "-" + shorten(curve.channel, 40));
      const size_t part = curves++ % most;
      if (part == scripts.size())
        scripts.emplace_back(files.emplace_back(folder / fmt::format("part{}.gnuplot", part)));
      scripts[part].write(plot_script(plot_texts(item, curve), curve, folder / name));
      page.write(
          fmt::format("![{}]({}.png)\n", markdown::plain(item.name + ": " + curve.channel, 120), name));
    }
    page.write("\n");
  }
  for (NewFile& script : scripts)
    script.finish();
  run_gnuplot(files, folder);
  page.finish();
  return curves;
}

}  // namespace parity::reports
