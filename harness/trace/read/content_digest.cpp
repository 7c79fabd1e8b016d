// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/read/content_digest.hpp"

#include <map>

#include "harness/measure/tensor/content_hash.hpp"

namespace parity::trace {
namespace {

void add_key(measure::ContentHash& hash, const TensorKey& key, DType dtype, const Shape& shape,
             const measure::Digest& digest) {
  hash.add(key.step);
  hash.add(name_of(key.phase));
  hash.add(key.name);
  hash.add(name_of(dtype));
  hash.add(shape);
  hash.add(digest.low);
  hash.add(digest.high);
}

void add_sketch(measure::ContentHash& hash, const SketchRow& row) {
  hash.add("sketch");
  add_key(hash, row.key, row.dtype, row.shape, row.digest);
  hash.add(row.nan_count);
  hash.add(row.inf_count);
  hash.add(row.norm);
  hash.add(row.max_abs);
  hash.add(row.values);
}

}  // namespace

std::string content_digest(const Trace& trace) {
  measure::ContentHash hash;
  hash.add("config");
  hash.add(trace.config().dump());
  hash.add("steps");
  hash.add(trace.steps());
  for (const auto& [name, channel] : trace.channels()) {
    if (channel.kind != ChannelKind::numeric)
      continue;
    const bool integer = std::holds_alternative<std::vector<int64_t>>(channel.values);
    hash.add(integer ? "int64 channel" : "float64 channel");
    hash.add(name);
    std::visit([&](const auto& values) { hash.add(values); }, channel.values);
  }
  std::map<TensorKey, const SketchRow*> rows;
  for (const SketchRow& row : trace.sketches())
    rows.emplace(row.key, &row);
  for (const auto& [key, row] : rows)
    add_sketch(hash, *row);
  for (const TensorKey& key : trace.tensors()) {
    if (rows.contains(key))
      continue;
    const TensorView view = trace.tensor(key);
    hash.add("tensor");
    add_key(hash, key, view.dtype, view.shape, measure::digest_of(view));
  }
  return hash.hex();
}

}  // namespace parity::trace
