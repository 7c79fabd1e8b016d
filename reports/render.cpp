// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/render.hpp"

#include <array>

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "reports/html.hpp"
#include "reports/junit.hpp"
#include "reports/summary.hpp"

namespace parity::reports {
namespace fs = std::filesystem;
namespace {

std::string report_text(const Results& results) {
  return terminal(results, Colour::plain, 110);
}

constexpr std::array<Renderer, 4> table = {{
    {"terminal", "report.txt", report_text},
    {"junit", "junit.xml", junit},
    {"summary", "summary.md", summary},
    {"html", "index.html", html},
}};

/// The plotting library lies in share/parity beside the folder of the program, in a build and when installed.
fs::path plot_library() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path file = program.parent_path().parent_path() / "share" / "parity" / plot_library_name;
  if (error || !fs::exists(file))
    throw UserError("no plotting library at " + file.string() +
                        " (it is installed beside the program); build the target reports, or install again",
                    ExitCode::missing);
  return file;
}

}  // namespace

std::span<const Renderer> renderers() {
  return table;
}

void render(const fs::path& results_json, const fs::path& out_dir) {
  const Results results = load_results(results_json);
  const std::string library = read_file(plot_library());
  for (const Renderer& renderer : table)
    write_file(out_dir / renderer.file, renderer.function(results));
  write_file(out_dir / plot_library_name, library);
}

}  // namespace parity::reports
