// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/api/recorder/host_values.hpp"

#include <string>

#include "harness/api/recorder/boundary.hpp"

namespace parity::capi {
namespace {

void check_memory(const parity_tensor& tensor, const StridedPlaces& places) {
  if (places.span > 0 && tensor.data == nullptr)
    throw UserError("a tensor's data is NULL; give the address of its first element");
  if (tensor.writable == nullptr)
    return;
  if (tensor.writable != tensor.data)
    throw UserError("a tensor's writable is another address than its data; give the same, or NULL");
  if (!places.unique)
    throw UserError(
        "cannot change a tensor whose elements share places (a stride is smaller than the dimensions below "
        "it); offer a copy of its values, or leave writable NULL");
}

std::unique_ptr<std::byte[]> room_for(int64_t elements, size_t width) {
  return std::make_unique_for_overwrite<std::byte[]>(static_cast<size_t>(elements) * width + 1);
}

}  // namespace

Shape shape_of(const parity_tensor& tensor) {
  if (tensor.rank < 0)
    throw UserError("a tensor's rank is " + std::to_string(tensor.rank) + "; it counts the dimensions");
  if (tensor.rank == 0)
    return {};
  const int64_t* sizes = &needed(tensor.shape, "a tensor's shape");
  return {sizes, sizes + tensor.rank};
}

HostValues::HostValues(const parity_tensor& tensor, DType dtype)
    : tensor_(tensor),
      places_(places_of(shape_of(tensor), tensor.strides)),
      view_{dtype, places_.shape, tensor.data},
      width_(size_of(dtype)) {
  check_memory(tensor, places_);
  if (places_.span == 0)
    return;
  if (tensor.copy != nullptr)
    read_device();
  if (places_.row_major) {
    view_.data = span_ ? span_.get() : tensor.data;
    return;
  }
  rows_ = room_for(view_.size(), width_);
  gather(places_, width_, span_ ? span_.get() : lowest_of(tensor.data), rows_.get());
  view_.data = rows_.get();
}

std::byte* HostValues::lowest_of(const void* first) const {
  return static_cast<std::byte*>(const_cast<void*>(first)) - static_cast<size_t>(places_.first) * width_;
}

void HostValues::call_copy(void* to, const void* from, size_t bytes, int32_t direction) const {
  const int status = tensor_.copy(tensor_.copy_context, to, from, bytes, direction);
  if (status != 0)
    throw UserError("a tensor's copy function returned " + std::to_string(status) + " for " +
                    std::to_string(bytes) + " bytes " +
                    (direction == PARITY_COPY_TO_HOST ? "to the host" : "from the host"));
}

void HostValues::read_device() {
  span_ = room_for(places_.span, width_);
  runs_ = runs_of(places_);
  const std::byte* lowest = lowest_of(tensor_.data);
  const size_t bytes = static_cast<size_t>(runs_.length) * width_;
  for (const int64_t start : runs_.starts) {
    const size_t offset = static_cast<size_t>(start) * width_;
    call_copy(span_.get() + offset, lowest + offset, bytes, PARITY_COPY_TO_HOST);
  }
}

void HostValues::write_back() {
  if (tensor_.writable == nullptr || places_.span == 0)
    return;
  std::byte* lowest = lowest_of(tensor_.writable);
  if (rows_)
    scatter(places_, width_, rows_.get(), span_ ? span_.get() : lowest);
  if (!span_)
    return;
  const size_t bytes = static_cast<size_t>(runs_.length) * width_;
  for (const int64_t start : runs_.starts) {
    const size_t offset = static_cast<size_t>(start) * width_;
    call_copy(lowest + offset, span_.get() + offset, bytes, PARITY_COPY_FROM_HOST);
  }
}

}  // namespace parity::capi
