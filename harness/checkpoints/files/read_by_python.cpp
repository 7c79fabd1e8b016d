// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/files/read_by_python.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/processes/python_package.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::checkpoints {
namespace fs = std::filesystem;
namespace {

/// Keys of the metadata that list names of entries, and what a note says of them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> remarks = {{
    {"left_out", "left out, because they are neither tensors nor numbers"},
    {"long_integers",
     "compared in words of 64 bits, the lowest first, because they are integers beyond int64"},
    {"quantized", "compared as int_repr, scale and zero point, because they are quantised"},
}};

}  // namespace

Checkpoint read_by_python(const std::string& path, const fs::path& file) {
  const TemporaryFile converted(fs::temp_directory_path() / "parity-checkpoint");
  const fs::path from = fs::absolute(file.empty() ? fs::path(path) : file);
  run_python_package({.words = {"checkpoint", from.string(), "-o", converted.path().string()},
                      .problem = "cannot read " + escape_to_line(path),
                      .needs = "torch"});
  const auto files = std::make_shared<const WeightFiles>(converted.path());
  Checkpoint checkpoint{path, "PyTorch", files->tensors(), {}, files};
  const std::map<std::string, std::string> facts = files->metadata();
  if (const auto format = facts.find("format"); format != facts.end())
    checkpoint.format = format->second;
  for (const auto& [key, text] : remarks)
    if (const auto names = facts.find(std::string(key)); names != facts.end())
      checkpoint.notes.push_back(
          fmt::format("{}: {}: {}", escape_to_line(path), text, escape_to_line(names->second, 400)));
  return checkpoint;
}

}  // namespace parity::checkpoints
