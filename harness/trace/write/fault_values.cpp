// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/write/fault_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/hash.hpp"
#include "harness/tensor/conversions.hpp"
#include "harness/tensor/part.hpp"

namespace parity::trace {
namespace {

[[noreturn]] void refuse_values(const Fault& fault, const std::string& why, const std::string& what_to_do) {
  throw UserError(fmt::format("cannot apply fault '{}' ({}); {}", fault.text(), why, what_to_do));
}

/// Applies MurmurHash3's finaliser: every bit of the result depends on every bit of x.
uint64_t mixed(uint64_t x) {
  x ^= x >> 33;
  x *= 0xFF51AFD7ED558CCDU;
  x ^= x >> 33;
  x *= 0xC4CEB9FE1A85EC53U;
  return x ^ (x >> 33);
}

/// Hashes a name with FNV-1a, then the seed, so that tensors of one fault draw differently.
uint64_t key_of(const Fault& fault, std::string_view name) {
  return mixed(fnv1a(name) ^ mixed(fault.seed + 0x9E3779B97F4A7C15U));
}

/// A rank's part of a tensor: its memory, and the place of each element in the logical tensor.
class Part {
 public:
  Part(const TensorView& view, void* data, const TensorLayout& layout)
      : dtype_(view.dtype),
        data_(static_cast<std::byte*>(data)),
        size_(view.size()),
        shape_(layout.global_shape.empty() ? view.shape : layout.global_shape) {
    if (is_whole(layout))
      runs_.push_back({0, 0, size_});
    else
      for_each_run(cover_of(layout), layout.global_shape,
                   [this](const PartRun& run) { runs_.push_back(run); });
    row_size_ = 1;
    for (size_t dim = 1; dim < shape_.size(); ++dim)
      row_size_ *= shape_[dim];
  }

  int64_t size() const { return size_; }
  int64_t whole_size() const { return element_count(shape_); }
  int64_t rows() const { return shape_.empty() ? 1 : shape_.front(); }
  int64_t row_of(int64_t global) const { return global / row_size_; }
  double value(int64_t local) const { return widen(dtype_, at(local)); }

  int64_t global(int64_t local) const {
    const auto behind = std::upper_bound(runs_.begin(), runs_.end(), local,
                                         [](int64_t index, const PartRun& run) { return index < run.local; });
    const PartRun& run = *std::prev(behind);
    return run.global + (local - run.local);
  }

  /// Visits the elements whose global index lies in [first, end).
  void for_each(int64_t first, int64_t end,
                const std::function<void(int64_t local, int64_t global)>& visit) const {
    for (const PartRun& run : runs_)
      for (int64_t i = std::max<int64_t>(0, first - run.global); i < std::min(run.count, end - run.global);
           ++i)
        visit(run.local + i, run.global + i);
  }

  /// \return whether the bits changed
  bool set(int64_t local, double value) {
    std::byte element[8];
    switch (dtype_) {
      case DType::float64:
        std::memcpy(element, &value, sizeof value);
        break;
      case DType::float32: {
        const auto narrow = static_cast<float>(value);
        std::memcpy(element, &narrow, sizeof narrow);
        break;
      }
      default: {
        const auto as_float = static_cast<float>(value);
        const uint16_t bits =
            dtype_ == DType::bfloat16 ? float_to_bfloat16(as_float) : float_to_float16(as_float);
        std::memcpy(element, &bits, sizeof bits);
      }
    }
    return put(local, element);
  }

  /// Flips one bit of an element. \return that its bits changed
  bool flip(int64_t local, uint64_t bit) {
    uint64_t bits = 0;
    std::memcpy(&bits, at(local), size_of(dtype_));  // little-endian, as traces are
    bits ^= uint64_t{1} << bit;
    std::byte element[8];
    std::memcpy(element, &bits, sizeof bits);
    return put(local, element);
  }

  uint64_t bits() const { return 8 * size_of(dtype_); }

  /// Moves an element to its neighbour away from 0: bit patterns of one sign are ordered by magnitude.
  bool away_from_zero(int64_t local) {
    uint64_t bits = 0;
    std::memcpy(&bits, at(local), size_of(dtype_));  // little-endian, as traces are
    ++bits;
    std::byte element[8];
    std::memcpy(element, &bits, sizeof bits);
    return put(local, element);
  }

 private:
  std::byte* at(int64_t local) const { return data_ + static_cast<size_t>(local) * size_of(dtype_); }

  bool put(int64_t local, const std::byte* element) {
    const bool changes = std::memcmp(at(local), element, size_of(dtype_)) != 0;
    std::memcpy(at(local), element, size_of(dtype_));
    return changes;
  }

  DType dtype_;
  std::byte* data_;
  int64_t size_;
  Shape shape_;
  int64_t row_size_ = 1;
  std::vector<PartRun> runs_;
};

/// Returns an element, drawn by the seed, that a change can affect.
int64_t drawn_element(const Fault& fault, std::string_view name, const Part& part) {
  constexpr int64_t tries = 64;
  const auto usable = [&](int64_t local) {
    const double value = part.value(local);
    return std::isfinite(value) && value != 0;
  };
  const uint64_t key = key_of(fault, name);
  int64_t local = 0;
  for (int64_t i = 0; i < tries; ++i) {
    local = static_cast<int64_t>(mixed(key + static_cast<uint64_t>(i)) % static_cast<uint64_t>(part.size()));
    if (usable(local))
      return local;
  }
  for (int64_t i = 0; i < part.size(); ++i)  // fallback: nearly all are 0
    if (const int64_t next = (local + i) % part.size(); usable(next))
      return next;
  refuse_values(fault, fmt::format("every element of {} is 0 or not finite", name),
                "name another tensor, an element or a row");
}

/// Returns the elements that the fault reaches, as a range of the logical tensor.
struct Reach {
  int64_t first = 0;
  int64_t end = 0;
};

Reach reach_of(const Fault& fault, std::string_view name, const Part& part, FaultEffect& effect) {
  const FaultExtent extent = row_of(fault.kind).extent;
  if (fault.element && *fault.element >= part.whole_size())
    refuse_values(fault, fmt::format("{} has {} elements", name, part.whole_size()), "name one of them");
  if (fault.row && *fault.row >= part.rows())
    refuse_values(fault, fmt::format("{} has {} rows", name, part.rows()), "name one of them");
  effect.element = fault.element;
  effect.row = fault.row;
  if (extent == FaultExtent::element && !fault.element)
    effect.element = part.global(drawn_element(fault, name, part));
  if (extent == FaultExtent::row && !fault.row)
    effect.row = part.row_of(part.global(drawn_element(fault, name, part)));
  if (effect.element)
    return {*effect.element, *effect.element + 1};
  const int64_t row_size = part.whole_size() / std::max<int64_t>(part.rows(), 1);
  if (effect.row)
    return {*effect.row * row_size, (*effect.row + 1) * row_size};
  return {0, part.whole_size()};
}

double changed_value(const Fault& fault, uint64_t key, double value, int64_t global) {
  switch (fault.kind) {
    case FaultKind::scale:
      return value * (1 + fault.size);
    case FaultKind::perturb:
      return value * (1 + (mixed(key + static_cast<uint64_t>(global)) & 1 ? fault.size : -fault.size));
    case FaultKind::sign_flip:
      return -value;
    case FaultKind::bf16:
      return bfloat16_to_float(float_to_bfloat16(static_cast<float>(value)));
    default:
      return 0;  // row_zeroed
  }
}

/// Returns the bit that the fault flips: the named one, or one that the seed draws.
uint64_t bit_of(const Fault& fault, std::string_view name, uint64_t key, const Part& part) {
  if (!fault.bit)
    return mixed(key) % part.bits();
  if (static_cast<uint64_t>(*fault.bit) >= part.bits())
    refuse_values(fault, fmt::format("an element of {} has {} bits", name, part.bits()), "name one of them");
  return static_cast<uint64_t>(*fault.bit);
}

FaultEffect change_elements(const Fault& fault, std::string_view name, Part& part) {
  FaultEffect effect;
  const Reach reach = reach_of(fault, name, part, effect);
  const uint64_t key = key_of(fault, name);
  part.for_each(reach.first, reach.end, [&](int64_t local, int64_t global) {
    ++effect.elements;
    effect.changed += fault.kind == FaultKind::ulp ? part.away_from_zero(local)
                      : fault.kind == FaultKind::bit_flip
                          ? part.flip(local, bit_of(fault, name, key, part))
                          : part.set(local, changed_value(fault, key, part.value(local), global));
  });
  return effect;
}

/// Returns the number of elements whose bits differ from the values before.
int64_t count_changed(const TensorView& view, const std::byte* was, const void* is) {
  const size_t width = size_of(view.dtype);
  int64_t changed = 0;
  for (int64_t i = 0; i < view.size(); ++i)
    changed += std::memcmp(was + static_cast<size_t>(i) * width,
                           static_cast<const std::byte*>(is) + static_cast<size_t>(i) * width, width) != 0;
  return changed;
}

/// Swaps the first and the last half of the rows; the middle one of an odd number stays.
void swap_halves(const Fault& fault, std::string_view name, const TensorView& view, void* data) {
  const int64_t rows = view.shape.empty() ? 1 : view.shape.front();
  if (rows < 2)
    refuse_values(fault, fmt::format("{} has {} row here, and halves need 2", name, rows),
                  "name another tensor");
  const size_t row_bytes = view.bytes() / static_cast<size_t>(rows);
  const size_t half = static_cast<size_t>(rows / 2) * row_bytes;
  auto* first = static_cast<std::byte*>(data);
  std::swap_ranges(first, first + half, first + (view.bytes() - half));
}

}  // namespace

FaultEffect change_values(const Fault& fault, std::string_view name, const TensorView& view, void* data,
                          const TensorLayout& layout, std::span<const std::byte> before) {
  const bool has_numbers = is_floating(view.dtype) && size_of(view.dtype) >= 2;
  if (!has_numbers && fault.kind != FaultKind::bit_flip)
    refuse_values(fault, fmt::format("{} is {}", name, name_of(view.dtype)),
                  "name a tensor of float64, float32, bfloat16 or float16");
  if (view.size() == 0)
    return {};  // an uneven shard gave this rank nothing
  if (row_of(fault.kind).extent != FaultExtent::all) {
    Part part(view, data, layout);
    return change_elements(fault, name, part);
  }
  const auto* bytes = static_cast<const std::byte*>(data);
  const std::vector<std::byte> was(bytes, bytes + view.bytes());
  if (fault.kind == FaultKind::swapped_shard) {
    swap_halves(fault, name, view, data);
  } else {
    require(before.size() == view.bytes(), "a fault puts other values in place, of another size");
    std::memcpy(data, before.data(), before.size());
  }
  return {view.size(), count_changed(view, was.data(), data), {}, {}};
}

}  // namespace parity::trace
