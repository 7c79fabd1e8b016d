// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/dcp/metadata.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "reference/dcp/pickle/value.hpp"

namespace parity::reference {
namespace {

bool lies_in(const DcpChunk& chunk, const std::vector<int64_t>& shape) {
  if (chunk.offsets.size() != shape.size() || chunk.sizes.size() != shape.size())
    return false;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (chunk.offsets[dim] < 0 || chunk.sizes[dim] < 0 || chunk.offsets[dim] > shape[dim] ||
        chunk.sizes[dim] > shape[dim] - chunk.offsets[dim])
      return false;
  return true;
}

bool overlap(const DcpChunk& a, const DcpChunk& b) {
  for (size_t dim = 0; dim < a.sizes.size(); ++dim)
    if (a.offsets[dim] + a.sizes[dim] <= b.offsets[dim] || b.offsets[dim] + b.sizes[dim] <= a.offsets[dim])
      return false;
  return true;
}

/// Returns whether two of the chunks share an element. Sorted by their first offset, a chunk can only
/// overlap those that begin before it ends.
bool any_overlap(std::vector<const DcpChunk*> chunks) {
  const auto first = [](const DcpChunk& chunk) { return chunk.offsets.empty() ? 0 : chunk.offsets[0]; };
  const auto end = [&](const DcpChunk& chunk) {
    return first(chunk) + (chunk.sizes.empty() ? 1 : chunk.sizes[0]);
  };
  std::sort(chunks.begin(), chunks.end(),
            [&](const DcpChunk* a, const DcpChunk* b) { return first(*a) < first(*b); });
  for (size_t i = 0; i < chunks.size(); ++i)
    for (size_t j = i + 1; j < chunks.size() && first(*chunks[j]) < end(*chunks[i]); ++j)
      if (overlap(*chunks[i], *chunks[j]))
        return true;
  return false;
}

}  // namespace

int64_t elements_of(const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes)
    if (size < 0 || __builtin_mul_overflow(product, size, &product))
      throw FormatError("a shape has more than 2^63 elements");
  return product;
}

void check_chunks(const std::string& name, const DcpTensor& tensor) {
  const int64_t all = elements_of(tensor.shape);
  int64_t found = 0;
  std::vector<const DcpChunk*> filled;
  for (const DcpChunk& chunk : tensor.chunks) {
    if (!lies_in(chunk, tensor.shape))
      throw FormatError(fmt::format("a chunk of {} leaves the tensor", parity::quoted(name)));
    const int64_t elements = elements_of(chunk.sizes);
    if (elements > 0)
      filled.push_back(&chunk);
    if (__builtin_add_overflow(found, elements, &found))
      throw FormatError(fmt::format("chunks of {} overlap", parity::quoted(name)));
  }
  if (any_overlap(filled))
    throw FormatError(fmt::format("chunks of {} overlap", parity::quoted(name)));
  if (found != all)
    throw FormatError(
        fmt::format("{} of {} elements of {} are in no chunk", all - found, all, parity::quoted(name)));
}

}  // namespace parity::reference
