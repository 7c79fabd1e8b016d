// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/tensor/whole_digest.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/base/processes/cores.hpp"
#include "harness/measure/lanes/share_work.hpp"

namespace parity::measure {
namespace {

/// Bytes that a thread processes at a time. They fit the core's own cache, so they are read from memory once.
constexpr int64_t stretch_bytes = int64_t{1} << 18;
constexpr int64_t group = 16;  ///< stretches that are reported as done together

TensorView part_of(const TensorView& view, int64_t first, int64_t count) {
  const auto* data = static_cast<const std::byte*>(view.data);
  return {view.dtype, {count}, data + static_cast<size_t>(first) * size_of(view.dtype)};
}

/// Calls `work(g, first, count)` once for each group of stretches of a tensor.
template <class Work>
void for_each_group(const TensorView& view, const Work& work) {
  const int64_t size = group * stretch_bytes / static_cast<int64_t>(size_of(view.dtype));
  const int64_t groups = (view.size() + size - 1) / size;
  share_work(groups, core_count(), [&](int64_t g) {
    work(static_cast<size_t>(g), g * size, std::min(size, view.size() - g * size));
  });
}

size_t groups_of(const TensorView& view) {
  return static_cast<size_t>(view.bytes()) / static_cast<size_t>(group * stretch_bytes) + 1;
}

template <class Sum>
Sum sum_of_groups(const std::vector<Sum>& found) {
  Sum sum;
  for (const Sum& each : found)
    sum += each;
  return sum;
}

}  // namespace

DigestPair& DigestPair::operator+=(const DigestPair& other) {
  expected += other.expected;
  actual += other.actual;
  return *this;
}

DigestPair digests_of_part(const TensorView& expected, const TensorView& actual, int64_t first,
                           int64_t count) {
  const TensorView e = part_of(expected, first, count), a = part_of(actual, first, count);
  const Digest digest = digest_of(e, static_cast<uint64_t>(first));
  const bool equal = std::memcmp(e.data, a.data, e.bytes()) == 0;
  return {digest, equal ? digest : digest_of(a, static_cast<uint64_t>(first))};
}

Digest digest_of_whole(const TensorView& view, const DoneWithBytes& done) {
  std::vector<Digest> found(groups_of(view));
  for_each_group(view, [&](size_t g, int64_t first, int64_t count) {
    const TensorView part = part_of(view, first, count);
    found[g] = digest_of(part, static_cast<uint64_t>(first));
    if (done)
      done(static_cast<const std::byte*>(part.data), part.bytes());
  });
  return sum_of_groups(found);
}

DigestPair digests_of_pair(const TensorView& expected, const TensorView& actual, const DoneWithBytes& done) {
  require(expected.dtype == actual.dtype && expected.shape == actual.shape, "digests of unlike tensors");
  std::vector<DigestPair> found(groups_of(expected));
  const int64_t stretch = stretch_bytes / static_cast<int64_t>(size_of(expected.dtype));
  for_each_group(expected, [&](size_t g, int64_t first, int64_t count) {
    for (int64_t at = 0; at < count; at += stretch) {
      const int64_t here = std::min(stretch, count - at);
      found[g] += digests_of_part(expected, actual, first + at, here);
    }
    if (done)
      for (const TensorView& side : {part_of(expected, first, count), part_of(actual, first, count)})
        done(static_cast<const std::byte*>(side.data), side.bytes());
  });
  return sum_of_groups(found);
}

bool have_equal_bits(const TensorView& expected, const TensorView& actual, const DoneWithBytes& done) {
  require(expected.dtype == actual.dtype && expected.shape == actual.shape, "bits of unlike tensors");
  std::atomic<bool> equal = true;
  for_each_group(expected, [&](size_t, int64_t first, int64_t count) {
    const TensorView e = part_of(expected, first, count), a = part_of(actual, first, count);
    if (equal && std::memcmp(e.data, a.data, e.bytes()) != 0)
      equal = false;
    if (done)
      for (const TensorView& side : {e, a})
        done(static_cast<const std::byte*>(side.data), side.bytes());
  });
  return equal;
}

}  // namespace parity::measure
