// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/checkpoints/comparison.hpp"
#include "harness/checkpoints/heat_map.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/fuzz/targets.hpp"

namespace parity::fuzz {
namespace {

checkpoints::Checkpoint read_checkpoint(const MemoryFile& file) {
  const auto files = std::make_shared<const checkpoints::WeightFiles>(file.path());
  return {"memory", "safetensors", files->tensors(), {}, files};
}

void require_equal_to_itself(const checkpoints::Checkpoint& checkpoint) {
  checkpoints::ComparisonOptions options;
  options.policy.nan = measure::DifferencePolicy::Nan::equal_if_both;
  const bool has_empty =
      checkpoint.tensors.empty() || std::any_of(checkpoint.tensors.begin(), checkpoint.tensors.end(),
                                                [](const auto& entry) { return entry.second.size() == 0; });
  const ExitCode code = compare_checkpoints(checkpoint, checkpoint, options).exit_code();
  require(code == ExitCode::agree || (has_empty && code == ExitCode::missing), "a file differs from itself");
}

}  // namespace

void compare_checkpoint_pair(std::string_view bytes) {
  uint32_t first = 0;  // bytes of the first file
  if (bytes.size() < sizeof first)
    return;
  std::memcpy(&first, bytes.data(), sizeof first);
  bytes.remove_prefix(sizeof first);
  const size_t size = std::min<size_t>(first, bytes.size());
  const MemoryFile expected_file(bytes.substr(0, size)), actual_file(bytes.substr(size));
  try {
    const checkpoints::Checkpoint expected = read_checkpoint(expected_file),
                                  actual = read_checkpoint(actual_file);
    require_equal_to_itself(expected);
    const checkpoints::CheckpointDifference found = compare_checkpoints(expected, actual, {});
    require(is_utf8(json_text(found.to_json())), "results that are no UTF-8");
    static_cast<void>(heat_map(found.findings).text(8));
    if (found.exit_code() == ExitCode::agree)
      require(compare_checkpoints(actual, expected, {}).exit_code() == ExitCode::agree,
              "agreement of one direction only");
  } catch (const UserError& error) {
    require(is_utf8(error.what()), "a message that is no UTF-8");
  }
}

}  // namespace parity::fuzz
