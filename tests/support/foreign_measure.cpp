// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/foreign_measure.hpp"

#include <sys/mman.h>

#include "harness/measure/cuda/measure_tensor.hpp"
#include "tests/support/emulated_gpu.hpp"

namespace parity::reference {
namespace {

int64_t measurements = 0;

/// Lets the host read a tensor's pages while it lives; each tensor has pages of its own.
class Readable {
 public:
  explicit Readable(const TensorView& view) {
    constexpr uintptr_t page = 4096;
    const auto address = reinterpret_cast<uintptr_t>(view.data);
    first_ = address / page * page;
    length_ = view.bytes() > 0 ? address + view.bytes() - first_ : 0;
    protect(PROT_READ);
  }
  ~Readable() { protect(PROT_NONE); }
  Readable(const Readable&) = delete;
  Readable& operator=(const Readable&) = delete;

 private:
  void protect(int access) const {
    if (length_ > 0)
      ::mprotect(reinterpret_cast<void*>(first_), length_, access);
  }

  uintptr_t first_;
  size_t length_;
};

Measurement measure(const TensorView& view, const TensorLayout& layout, int /*device*/) {
  ++measurements;
  const Readable readable(view);
  cuda::EmulatedGpu gpu;
  return cuda::measure_tensor_on(gpu, view, layout);
}

}  // namespace

const DeviceMeasure foreign_measure = {measure};

int64_t foreign_measurements() {
  return measurements;
}

}  // namespace parity::reference
