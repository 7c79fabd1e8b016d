// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/hdf5/handle.hpp"

#include <new>

#include <fmt/format.h>

#include "harness/base/error.hpp"

namespace parity::hdf5 {
namespace {

/// Returns the innermost entry of HDF5's error stack, which holds the reason.
std::string reason() {
  std::string text;
  const auto keep_last = [](unsigned, const H5E_error2_t* entry, void* out) -> herr_t {
    *static_cast<std::string*>(out) = entry->desc ? entry->desc : "";
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_last, &text);
  H5Eclear2(H5E_DEFAULT);
  return text.empty() ? "HDF5 reports no reason" : text;
}

std::recursive_mutex& global_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

}  // namespace

std::unique_lock<std::recursive_mutex> lock() {
  std::unique_lock guard(global_mutex());
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  return guard;
}

std::string library_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

void renew_lock_in_child() {
  new (&global_mutex()) std::recursive_mutex;
}

Handle::Handle(hid_t id, const std::string& doing) : id_(id) {
  check(id, doing);
}

Handle& Handle::operator=(Handle&& other) noexcept {
  if (this != &other) {
    reset();
    id_ = std::exchange(other.id_, H5I_INVALID_HID);
  }
  return *this;
}

void Handle::reset() noexcept {
  if (id_ < 0)
    return;
  const auto guard = lock();
  H5Idec_ref(std::exchange(id_, H5I_INVALID_HID));
}

void check(int64_t status, const std::string& doing) {
  if (status < 0)
    throw UserError(fmt::format("{} ({})", doing, reason()));
}

}  // namespace parity::hdf5
