// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/data/parquet/read_parquet.hpp"

#include <dlfcn.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "reference/data/data_file.hpp"

namespace parity::reference {
namespace fs = std::filesystem;
namespace {

constexpr const char* library_name = "libparity-parquet.so";

[[noreturn]] void lacks_library(const fs::path& file, const std::string& why, const std::string& remedy) {
  throw UserError("data.path: cannot read " + escape_to_line(file.string()) + " (" + why + "); " + remedy,
                  ExitCode::missing);
}

/// Returns where the library is: beside the program, as the programs are, or in ../bin, as for the tests.
fs::path library_file() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  std::error_code error;
  const fs::path beside = folder / library_name;
  return fs::exists(beside, error) ? beside : folder.parent_path() / "bin" / library_name;
}

}  // namespace

const ParquetPlugin& load_parquet_plugin(const fs::path& library, const fs::path& file) {
  std::error_code error;
  if (!fs::exists(library, error))
    lacks_library(file,
                  std::string("this build of parity-train has no ") + library_name + ", which reads Parquet",
                  "configure with -DPARITY_PARQUET=ON, which installs pyarrow, or convert the file");
  void* const opened = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    const char* const reason = ::dlerror();
    lacks_library(file,
                  "cannot open " + library.string() + ": " + (reason != nullptr ? reason : "no reason given"),
                  "build it again where pyarrow is installed");
  }
  using Entry = const ParquetPlugin* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(opened, ParquetPlugin::entry));
  const ParquetPlugin* const plugin = entry != nullptr ? entry() : nullptr;
  if (plugin == nullptr || plugin->version != ParquetPlugin::current_version)
    lacks_library(file, library.string() + " is of another parity-train", "build both from one source");
  return *plugin;
}

void refuse_parquet(const fs::path& path, const ParquetRefusal& refusal) {
  throw UserError("data.path: cannot read " + escape_to_line(path.string()) + " (" +
                  escape_to_line(refusal.why, 500) + "); " + refusal.hint);
}

std::vector<ParquetColumn> read_parquet(const fs::path& path, const std::vector<ParquetRequest>& requests) {
  require_data_file(path);
  static const ParquetPlugin& plugin = load_parquet_plugin(library_file(), path);
  std::vector<ParquetColumn> columns;
  if (const ParquetRefusal refusal = plugin.read(path.string(), requests, columns); !refusal.why.empty())
    refuse_parquet(path, refusal);
  const ParquetColumn& first = columns.front();
  if (first.is_list ? first.ends.empty()
                    : first.integers.empty() && first.numbers.empty() && first.texts.empty())
    refuse_empty_data(path);
  return columns;
}

}  // namespace parity::reference
