// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "harness/measure/tensor/measurement.hpp"

namespace parity::capi {

/// The interface between libparity-recorder and the library beside it that measures on CUDA devices. Both are
/// built by one compiler from one source, which `version` shows. No function throws.
struct DeviceMeasure {
  static constexpr uint32_t current_version = 1;
  /// Name of the function that the library exports: extern "C" const DeviceMeasure* ()
  static constexpr const char* entry = "parity_device_measure";

  uint32_t version;
  /// Returns whether a device can be used. If not, sets `why`. \param device  number among the visible ones
  bool (*usable)(int device, std::string& why);
  /// Measures a tensor after the work of a stream. Returns false and sets `why` if the device fails.
  /// \param view    row-major; its data is memory of the device
  /// \param stream  a cudaStream_t; null for the default stream
  bool (*tensor)(const TensorView& view, const TensorLayout& layout, int device, void* stream,
                 measure::Measurement& found, std::string& why);
};

}  // namespace parity::capi
