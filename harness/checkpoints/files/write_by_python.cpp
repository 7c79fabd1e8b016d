// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/checkpoints/files/write_by_python.hpp"

#include <utility>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/processes/python_package.hpp"
#include "harness/base/text/escape_for_terminal.hpp"

namespace parity::checkpoints {
namespace fs = std::filesystem;
namespace {

fs::path without_slash(const fs::path& folder) {
  return fs::absolute(is_distributed_place(folder) ? folder.parent_path() : folder);
}

void distribute(const fs::path& from, const fs::path& folder, bool check) {
  PackageCall call{.words = {"distribute", from.string(), "-o", folder.string()},
                   .problem = "cannot write " + escape_to_line(folder.string()),
                   .needs = "torch"};
  if (check)
    call.words.emplace_back("--check");
  run_python_package(call);
}

}  // namespace

bool is_distributed_place(const fs::path& place) {
  return place.has_parent_path() && !place.has_filename() && place != place.root_path();
}

void check_distributed_place(const fs::path& folder) {
  distribute(without_slash(folder), without_slash(folder), /*check=*/true);
}

void write_distributed(const fs::path& folder, std::vector<TensorToWrite> tensors,
                       const std::map<std::string, std::string>& metadata) {
  const fs::path place = without_slash(folder);
  const fs::path kept = place.string() + ".safetensors";
  TemporaryFile whole(kept);
  write_safetensors(whole.path(), std::move(tensors), metadata);
  try {
    distribute(whole.path(), place, /*check=*/false);
  } catch (const UserError& error) {
    whole.take_place();
    throw UserError(std::string(error.what()) + "; the weights are in " + escape_to_line(kept.string()),
                    error.code());
  }
}

}  // namespace parity::checkpoints
