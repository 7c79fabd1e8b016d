// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/devices/foreign_measure.hpp"

#include <sys/mman.h>

#include "harness/measure/cuda/measure_difference.hpp"
#include "harness/measure/cuda/measure_tensor.hpp"
#include "tests/support/devices/emulated_gpu.hpp"

namespace parity::reference {
namespace {

int64_t measurements = 0;

/// Lets the host read a tensor's pages for the lifetime of this object; each tensor has its own pages.
class Readable {
 public:
  explicit Readable(const TensorView& view) {
    constexpr uintptr_t page = 4096;
    const size_t ahead = reinterpret_cast<uintptr_t>(view.data) % page;
    first_ = static_cast<std::byte*>(const_cast<void*>(view.data)) - ahead;
    length_ = view.bytes() > 0 ? ahead + view.bytes() : 0;
    protect(PROT_READ);
  }
  ~Readable() { protect(PROT_NONE); }
  Readable(const Readable&) = delete;
  Readable& operator=(const Readable&) = delete;

 private:
  void protect(int access) const {
    if (length_ > 0)
      ::mprotect(first_, length_, access);
  }

  std::byte* first_;
  size_t length_;
};

measure::Measurement measure(const TensorView& view, const TensorLayout& layout, int /*device*/) {
  ++measurements;
  const Readable readable(view);
  measure::cuda::EmulatedGpu gpu;
  return measure::cuda::measure_tensor_on(gpu, view, layout);
}

measure::Difference difference(const TensorView& expected, const TensorView& actual, int /*device*/) {
  ++measurements;
  const Readable one(expected), other(actual);
  measure::cuda::EmulatedGpu gpu;
  return measure::cuda::measure_difference_on(gpu, expected, actual);
}

}  // namespace

const DeviceMeasure foreign_measure = {measure, difference};

int64_t foreign_measurements() {
  return measurements;
}

}  // namespace parity::reference
