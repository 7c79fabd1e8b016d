// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reports/html/plot_library.hpp"

#include "harness/base/files/file.hpp"
#include "reports/html/page.hpp"

namespace parity::reports {
namespace fs = std::filesystem;

fs::path plot_library() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return program.parent_path().parent_path() / "share" / "parity" / plot_library_name;
}

bool copy_plot_library(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(plot_library(), error))
    return false;
  NewFile copy(folder / plot_library_name);
  pass_on(plot_library(), copy.sink());
  copy.finish();
  return true;
}

}  // namespace parity::reports
