// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/api/recorder/load_device_measure.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <dlfcn.h>

#include "harness/base/error.hpp"

namespace parity::capi {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_name = "libparity-device.so";

fs::path library_file() {
  if (const char* named = std::getenv("PARITY_DEVICE_LIBRARY"); named != nullptr && *named != '\0') {
    if (std::string(named) == "none")
      throw UserError("PARITY_DEVICE_LIBRARY is \"none\"", ExitCode::missing);
    return named;
  }
  Dl_info here{};
  if (::dladdr(reinterpret_cast<const void*>(&load_device_measure), &here) == 0 || here.dli_fname == nullptr)
    return file_name;
  std::error_code ignored;
  const fs::path self = fs::canonical(here.dli_fname, ignored);
  return (ignored ? fs::path(here.dli_fname) : self).parent_path() / file_name;
}

const DeviceMeasure& open() {
  const fs::path file = library_file();
  std::error_code ignored;
  if (!fs::exists(file, ignored))
    throw UserError(
        "this build has no " + file.filename().string() + " beside its recorder; build with -DPARITY_CUDA=ON",
        ExitCode::missing);
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const reason = ::dlerror();
    throw UserError("cannot open " + file.filename().string() + " (" +
                        (reason != nullptr ? reason : "no reason given") + ")",
                    ExitCode::missing);
  }
  using Entry = const DeviceMeasure* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(library, DeviceMeasure::entry));
  const DeviceMeasure* const found = entry != nullptr ? entry() : nullptr;
  if (found == nullptr || found->version != DeviceMeasure::current_version)
    throw UserError("cannot use " + file.filename().string() +
                        " (it is of another version than the recorder); build both from one source",
                    ExitCode::missing);
  return *found;
}

}  // namespace

const DeviceMeasure& load_device_measure() {
  static const DeviceMeasure& loaded = open();
  return loaded;
}

}  // namespace parity::capi
