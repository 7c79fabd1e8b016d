// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/cuda/device.hpp"

#include "harness/base/error.hpp"
#include "reference/cuda/load_plugin.hpp"

namespace parity::reference {

Device open_device(DeviceChoice choice, int64_t local_rank, const std::filesystem::path& plugin) {
  if (choice == DeviceChoice::cpu)
    return {};
  const DevicePlugin& library = load_plugin(plugin);
  std::string why;
  const int count = library.count(why);
  if (count == 0)
    throw UserError(
        "device = \"cuda\" needs a GPU (" + why + "); run it on a machine with one, or set device = \"cpu\"",
        ExitCode::missing);
  if (local_rank >= count)
    throw UserError("device = \"cuda\" needs a GPU for each rank (rank " + std::to_string(local_rank) +
                        " of this machine has none: there " + (count == 1 ? "is " : "are ") +
                        std::to_string(count) +
                        "); start fewer ranks per machine, or make more visible with CUDA_VISIBLE_DEVICES",
                    ExitCode::missing);
  const auto index = static_cast<int>(local_rank);
  library.use(index);
  return {c10::Device(c10::kCUDA, static_cast<c10::DeviceIndex>(index)), &library};
}

}  // namespace parity::reference
