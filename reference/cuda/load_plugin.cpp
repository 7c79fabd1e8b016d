// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/cuda/load_plugin.hpp"

#include <dlfcn.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace fs = std::filesystem;

fs::path plugin_file() {
  return fs::read_symlink("/proc/self/exe").parent_path() / "libparity-cuda.so";
}

const DevicePlugin& load_plugin(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error))
    throw UserError("device = \"cuda\" needs " + file.filename().string() +
                        " next to the program (it is missing: this build has no CUDA plug-in); build with "
                        "-DPARITY_CUDA=ON, or set device = \"cpu\"",
                    ExitCode::missing);
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = ::dlerror();
    throw UserError("cannot open " + file.filename().string() + " (" +
                        (reason != nullptr ? reason : "no reason given") +
                        "); build it again together with parity-train, or set device = \"cpu\"",
                    ExitCode::missing);
  }
  using Entry = const DevicePlugin* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(library, DevicePlugin::entry));
  const DevicePlugin* const plugin = entry != nullptr ? entry() : nullptr;
  if (plugin == nullptr || plugin->version != DevicePlugin::current_version)
    throw UserError("cannot use " + file.filename().string() + " as a plug-in of this parity-train (" +
                        (plugin == nullptr ? std::string("it lacks ") + DevicePlugin::entry
                                           : "its version is " + std::to_string(plugin->version) + ", not " +
                                                 std::to_string(DevicePlugin::current_version)) +
                        "); build both from one source",
                    ExitCode::missing);
  return *plugin;
}

}  // namespace parity::reference
