// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <c10/util/intrusive_ptr.h>

#include "harness/measure/difference/difference.hpp"
#include "harness/measure/tensor/measurement.hpp"

namespace c10d {
class Backend;
class Store;
}  // namespace c10d

namespace parity::reference {

/// Describes a device for reports.
struct DeviceFacts {
  std::string name;        ///< "NVIDIA H100 80GB HBM3"
  std::string capability;  ///< "9.0"
  int64_t memory_bytes = 0;
  std::string driver;   ///< highest CUDA version that the driver supports, "13.0"
  std::string runtime;  ///< of CUDA, "13.0"
  std::string cudnn;    ///< "9.19.0"
  std::string nccl;     ///< "2.28.9"
};

/// The functions of harness/measure for memory on a device. The results have the same bits, and only results
/// are copied to the host. Each function first waits for the work begun on the device.
struct DeviceMeasure {
  measure::Measurement (*tensor)(const TensorView& view, const TensorLayout& layout, int device);
  measure::Difference (*difference)(const TensorView& expected, const TensorView& actual, int device);
};

/// The interface between the trainer and a library of devices. Both are built by one compiler against one
/// LibTorch. `version` shows that both come from one source.
///
/// Functions throw c10::Error if the device fails. A device is named by its number among the visible ones.
struct DevicePlugin {
  static constexpr uint32_t current_version = 2;
  /// Name of the function that a library exports: extern "C" const DevicePlugin* ()
  static constexpr const char* entry = "parity_device_plugin";

  uint32_t version;
  /// Returns the number of usable devices. If it is 0, sets `why` to the reason: "no driver ...".
  int (*count)(std::string& why);
  DeviceFacts (*facts)(int device);
  /// Makes the device current in the calling thread, and makes its library deterministic.
  void (*use)(int device);
  /// Waits for all work begun on the device.
  void (*synchronize)(int device);
  /// Returns the peak memory of tensors since the start [bytes].
  int64_t (*peak_memory)(int device);
  /// Returns a backend of the ranks that meet in `store`, for tensors on this rank's device. The ranks
  /// connect at the first collective.
  c10::intrusive_ptr<c10d::Backend> (*make_backend)(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                    int size, int device, std::chrono::milliseconds timeout);
  /// Null if the library was built without kernels. Tensors are then measured on the host.
  const DeviceMeasure* measure;
};

}  // namespace parity::reference
