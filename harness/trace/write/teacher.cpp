// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/write/teacher.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/tensor/part.hpp"
#include "harness/trace/format/file_names.hpp"
#include "harness/trace/read/read_trace_file.hpp"
#include "harness/trace/read/tensor_proof.hpp"

namespace parity::trace {
namespace {

bool is_term(const TensorLayout& layout) {
  return std::ranges::any_of(layout.placements, [](const Placement& placement) {
    return std::holds_alternative<Partial>(placement.kind);
  });
}

std::unique_ptr<TraceContent> content_of_rank(const Trace& trace, int64_t rank) {
  return rank < trace.ranks() ? read_trace_file(rank_path(trace.path(), rank)) : nullptr;
}

}  // namespace

Teacher::Teacher(const std::filesystem::path& trace, int64_t rank)
    : trace_(Trace::open(trace)), rank_(content_of_rank(trace_, rank)) {
  if (trace_.tensors().empty())
    throw UserError(fmt::format(
        "cannot use {} as teacher (it holds no tensors); list `tensors` in the capture of that run",
        trace.string()));
}

Teacher::~Teacher() = default;

bool Teacher::has(const TensorKey& key) const {
  return trace_.has_tensor(key) || (rank_ && rank_->tensors.contains(key));
}

bool Teacher::teach_own(const TensorKey& key, const TensorView& view, void* writable,
                        const TensorLayout& layout) const {
  if (!rank_)
    return false;
  const auto found = rank_->tensors.find(key);
  if (found == rank_->tensors.end())
    return false;
  const TensorPlace& place = found->second;
  const bool same_layout =
      is_whole(layout) ? !place.in_parts
                       : place.layout && rank_->layouts.at(static_cast<size_t>(*place.layout)) == layout;
  if (!same_layout || place.dtype != view.dtype || place.shape != view.shape)
    return false;
  const TensorView own = rank_->view(place);
  const PartCover* cover = place.layout ? &rank_->covers.at(static_cast<size_t>(*place.layout)) : nullptr;
  if (place.digest)
    check_digest(*rank_, place, key,
                 digest_of_values(*rank_, place, cover, cover ? layout.global_shape : place.shape));
  if (view.bytes() > 0)
    std::memcpy(writable, own.data, view.bytes());
  return true;
}

bool Teacher::teach(const TensorKey& key, const TensorView& view, void* writable,
                    const TensorLayout& layout) const {
  if (teach_own(key, view, writable, layout))
    return true;
  if (is_term(layout) || !trace_.has_tensor(key))
    return false;
  const TensorView whole = trace_.tensor(key);
  const Shape& shape = layout.global_shape.empty() ? view.shape : layout.global_shape;
  if (whole.dtype != view.dtype || whole.shape != shape)
    return false;
  const size_t width = size_of(view.dtype);
  const auto* from = static_cast<const std::byte*>(whole.data);
  auto* to = static_cast<std::byte*>(writable);
  if (is_whole(layout)) {
    if (view.bytes() > 0)
      std::memcpy(to, from, view.bytes());
    return true;
  }
  for_each_run(cover_of(layout), shape, [&](const PartRun& run) {
    std::memcpy(to + static_cast<size_t>(run.local) * width, from + static_cast<size_t>(run.global) * width,
                static_cast<size_t>(run.count) * width);
  });
  return true;
}

}  // namespace parity::trace
