// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <c10/util/intrusive_ptr.h>

#include "harness/measure/difference.hpp"
#include "harness/measure/measurement.hpp"

namespace c10d {
class Backend;
class Store;
}  // namespace c10d

namespace parity::reference {

/// What a device is, as a report shows it.
struct DeviceFacts {
  std::string name;        ///< "NVIDIA H100 80GB HBM3"
  std::string capability;  ///< "9.0"
  int64_t memory_bytes = 0;
  std::string driver;   ///< highest CUDA version that the driver speaks, "13.0"
  std::string runtime;  ///< of CUDA, "13.0"
  std::string cudnn;    ///< "9.19.0"
  std::string nccl;     ///< "2.28.9"
};

/// What harness/measure does, of memory on a device: the same bits, and only they come to the host. Each
/// waits for what was begun on the device before.
struct DeviceMeasure {
  Measurement (*tensor)(const TensorView& view, const TensorLayout& layout, int device);
  Difference (*difference)(const TensorView& expected, const TensorView& actual, int device);
};

/// What a library of devices does for the trainer: the one thing that the two share. Both are built by one
/// compiler against one LibTorch; `version` says that they are of one source.
///
/// Functions throw c10::Error where the device fails. A device is named by its number among the visible ones.
struct DevicePlugin {
  static constexpr uint32_t current_version = 2;
  /// Name of the function that a library exports: extern "C" const DevicePlugin* ()
  static constexpr const char* entry = "parity_device_plugin";

  uint32_t version;
  /// How many devices can be used. Where none can, `why` says so: "no driver ...".
  int (*count)(std::string& why);
  DeviceFacts (*facts)(int device);
  /// Makes it the current one of the calling thread, and its library deterministic.
  void (*use)(int device);
  /// Waits for everything that was begun on the device.
  void (*synchronize)(int device);
  /// Bytes that tensors took at most since the start.
  int64_t (*peak_memory)(int device);
  /// Ranks that meet in `store`, for tensors on this rank's device. They meet for real at the first
  /// collective.
  c10::intrusive_ptr<c10d::Backend> (*make_backend)(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                    int size, int device, std::chrono::milliseconds timeout);
  /// Null where the library was built without kernels: tensors go to the host to be measured.
  const DeviceMeasure* measure;
};

}  // namespace parity::reference
