// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/files/read_by_python.hpp"

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/processes/python_package.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::checkpoints {
namespace fs = std::filesystem;

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
  if (const auto left = facts.find("left_out"); left != facts.end() && !left->second.empty())
    checkpoint.notes.push_back(
        escape_to_line(path) +
        ": left out, because they are neither tensors nor numbers: " + escape_to_line(left->second, 400));
  return checkpoint;
}

}  // namespace parity::checkpoints
