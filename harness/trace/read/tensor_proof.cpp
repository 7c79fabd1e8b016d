// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/read/tensor_proof.hpp"

#include "harness/base/error.hpp"
#include "harness/measure/whole_digest.hpp"
#include "harness/trace/format/schema.hpp"

namespace parity {
namespace {

/// Smallest tensor whose pages are released [bytes]. The few pages of a smaller one stay mapped.
constexpr size_t least_released = size_t{1} << 20;

std::string describe_tensor(const TensorKey& key) {
  return std::string(name_of(key.phase)) + " " + key.name + " of step " + std::to_string(key.step);
}

std::string facts_of(DType dtype, const Shape& shape) {
  return std::string(name_of(dtype)) + " of shape " + to_string(shape);
}

void attach(const InputFile& file, TraceContent& trace, const SketchRow& row, std::optional<int64_t> layout) {
  const auto found = trace.tensors.find(row.key);
  if (found == trace.tensors.end())
    return;  // kept as a sketch only
  TensorPlace& place = found->second;
  if (place.in_parts && !place.layout)
    return;  // unknown layout: nobody reads the tensor
  if (place.layout != layout)
    file.refuse("corrupt trace: " + describe_tensor(row.key) +
                " and its sketch row are of different layouts");
  if (place.dtype != row.dtype || place.shape != row.shape)
    file.refuse("corrupt trace: " + describe_tensor(row.key) + " is " + facts_of(place.dtype, place.shape) +
                ", its sketch row says " + facts_of(row.dtype, row.shape));
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
      file.refuse("corrupt trace: " + describe_tensor(key) + " has no row of sketches; schema " +
                  trace.schema + " of " + std::to_string(trace.ranks) + " rank" +
                  (trace.ranks == 1 ? "" : "s") + " asks for one");
}

Digest digest_of_values(const TraceContent& file, const TensorPlace& place, const PartCover* cover,
                        const Shape& global_shape) {
  const TensorView view = file.view(place);
  if (!cover && place.offset && view.bytes() >= least_released)
    return digest_of_whole(view,
                           [&](const std::byte* data, size_t bytes) { file.mapped->release(data, bytes); });
  if (!cover)
    return digest_of_whole(view);
  Digest digest;
  const size_t element = size_of(view.dtype);
  for_each_run(*cover, global_shape, [&](const PartRun& run) {
    digest += digest_of({view.dtype,
                         {run.count},
                         static_cast<const std::byte*>(view.data) + static_cast<size_t>(run.local) * element},
                        static_cast<uint64_t>(run.global));
  });
  return digest;
}

void check_digest(const TraceContent& file, const TensorPlace& place, const TensorKey& key,
                  const Digest& found) {
  if (place.digest && *place.digest != found)
    throw UserError("cannot read " + file.path.string() + " (corrupt trace: the values of " +
                    describe_tensor(key) + " have the digest " + to_string(found) +
                    ", their sketch row says " + to_string(*place.digest) +
                    "); restore the file, or run again");
}

}  // namespace parity
