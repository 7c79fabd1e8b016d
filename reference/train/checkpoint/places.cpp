// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/checkpoint/places.hpp"

#include <string>

#include "reference/comm/texts.hpp"

namespace parity::reference {
namespace fs = std::filesystem;
namespace {

bool exists(const CheckpointPlace& place) {
  std::error_code error;
  return fs::exists(place.path, error);
}

/// Returns whether a folder has files of torch.distributed.checkpoint, also where its metadata are missing.
bool is_dcp_folder(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().filename() == ".metadata" || entry.path().extension() == ".distcp")
      return true;
  return false;
}

CheckpointPlace find(const fs::path& folder, CheckpointFormat format) {
  if (is_dcp_folder(folder))
    return {folder, CheckpointFormat::dcp};
  const CheckpointPlace wanted = checkpoint_in(folder, format);
  const CheckpointPlace other = checkpoint_in(
      folder, format == CheckpointFormat::dcp ? CheckpointFormat::torch_save : CheckpointFormat::dcp);
  return !exists(wanted) && exists(other) ? other : wanted;
}

}  // namespace

CheckpointPlace checkpoint_in(const fs::path& folder, CheckpointFormat format) {
  return {folder / (format == CheckpointFormat::dcp ? "checkpoint.dcp" : "checkpoint.pt"), format};
}

CheckpointPlace find_checkpoint(const fs::path& folder, CheckpointFormat format, const Group& world) {
  CheckpointPlace place;
  if (world.rank() == 0)
    place = find(folder, format);
  place.path = broadcast_text(place.path.string(), world, 0);
  const bool is_dcp = broadcast_text(place.format == CheckpointFormat::dcp ? "dcp" : "", world, 0) == "dcp";
  place.format = is_dcp ? CheckpointFormat::dcp : CheckpointFormat::torch_save;
  return place;
}

}  // namespace parity::reference
