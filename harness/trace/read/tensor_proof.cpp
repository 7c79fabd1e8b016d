// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/read/tensor_proof.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/measure/tensor/whole_digest.hpp"
#include "harness/trace/format/schema.hpp"

namespace parity::trace {
namespace {

/// Smallest tensor whose pages are released [bytes]. The few pages of a smaller one stay mapped.
constexpr size_t least_released = size_t{1} << 20;

std::string describe_tensor(const TensorKey& key) {
  return fmt::format("{} {} of step {}", name_of(key.phase), key.name, key.step);
}

std::string facts_of(DType dtype, const Shape& shape) {
  return fmt::format("{} of shape {}", name_of(dtype), to_string(shape));
}

void attach(const InputFile& file, TraceContent& trace, const SketchRow& row, std::optional<int64_t> layout) {
  const auto found = trace.tensors.find(row.key);
  if (found == trace.tensors.end())
    return;  // kept as a sketch only
  TensorPlace& place = found->second;
  if (place.in_parts && !place.layout)
    return;  // unknown layout: nobody reads the tensor
  if (place.layout != layout)
    file.refuse(
        fmt::format("corrupt trace: {} and its sketch row have different layouts", describe_tensor(row.key)));
  if (place.dtype != row.dtype || place.shape != row.shape)
    file.refuse(fmt::format("corrupt trace: {} is {}, but its sketch row is of {}", describe_tensor(row.key),
                            facts_of(place.dtype, place.shape), facts_of(row.dtype, row.shape)));
  place.digest = row.digest;
}

}  // namespace

void attach_row_digests(const InputFile& file, TraceContent& trace) {
  for (const SketchRow& row : trace.sketches)
    attach(file, trace, row, std::nullopt);
  for (const PartRow& part : trace.part_sketches)
    attach(file, trace, part.row, part.layout);
  if (!trace.complete || (trace.minor < trace_minor_with_digest && trace.ranks == 1))
    return;
  for (const auto& [key, place] : trace.tensors)
    if (!place.digest)
      file.refuse(fmt::format("corrupt trace: {} has no sketch row, which schema {} requires of {} rank{}",
                              describe_tensor(key), trace.schema, trace.ranks, trace.ranks == 1 ? "" : "s"));
}

measure::Digest digest_of_values(const TraceContent& file, const TensorPlace& place, const PartCover* cover,
                                 const Shape& global_shape) {
  const TensorView view = file.view(place);
  if (!cover && place.offset && view.bytes() >= least_released)
    return measure::digest_of_whole(
        view, [&](const std::byte* data, size_t bytes) { file.mapped->release(data, bytes); });
  if (!cover)
    return measure::digest_of_whole(view);
  measure::Digest digest;
  const size_t element = size_of(view.dtype);
  for_each_run(*cover, global_shape, [&](const PartRun& run) {
    digest += measure::digest_of(
        {view.dtype,
         {run.count},
         static_cast<const std::byte*>(view.data) + static_cast<size_t>(run.local) * element},
        static_cast<uint64_t>(run.global));
  });
  return digest;
}

void check_digest(const TraceContent& file, const TensorPlace& place, const TensorKey& key,
                  const measure::Digest& found) {
  if (place.digest && *place.digest != found)
    throw UserError(
        fmt::format("cannot read {} (corrupt trace: the values of {} have the digest {}, expected {}); "
                    "restore the file, or run again",
                    file.path.string(), describe_tensor(key), measure::to_string(found),
                    measure::to_string(*place.digest)));
}

}  // namespace parity::trace
