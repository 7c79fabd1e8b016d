// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include <hdf5.h>

/// Owning handles of HDF5's C API, and its errors as UserError.
namespace parity::hdf5 {

/// Locks HDF5's global state; hold the lock while calling the library. Also keeps HDF5 from printing its
/// error stack.
std::unique_lock<std::recursive_mutex> lock();

/// Returns the version of the HDF5 library in use: "1.10.8".
std::string library_version();

/// Renews the lock in a forked child. The child has one thread; the lock may be held by a thread of the
/// parent.
void renew_lock_in_child();

/// Owns an HDF5 id of any kind.
class Handle {
 public:
  Handle() = default;
  /// Takes ownership of `id`. \throws UserError "DOING (HDF5's reason)" if `id` is negative
  Handle(hid_t id, const std::string& doing);
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept;

  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }
  void reset() noexcept;

 private:
  hid_t id_ = H5I_INVALID_HID;
};

/// Checks the status of an HDF5 call. \throws UserError "DOING (HDF5's innermost reason)" if `status` is
/// negative
void check(int64_t status, const std::string& doing);

}  // namespace parity::hdf5
