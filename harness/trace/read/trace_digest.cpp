// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/read/trace_digest.hpp"

#include "harness/measure/tensor/content_hash.hpp"

namespace parity::trace {
namespace {

void add_count(measure::ContentHash& hash, size_t count) {
  hash.add(static_cast<int64_t>(count));
}

void add_tensor_key(measure::ContentHash& hash, const TensorKey& key) {
  hash.add(key.step);
  hash.add(name_of(key.phase));
  hash.add(key.name);
}

void add_row(measure::ContentHash& hash, const SketchRow& row) {
  add_tensor_key(hash, row.key);
  hash.add(row.order);
  hash.add(name_of(row.dtype));
  hash.add(row.shape);
  hash.add(row.nan_count);
  hash.add(row.inf_count);
  hash.add(row.norm);
  hash.add(row.max_abs);
  hash.add(row.digest.low);
  hash.add(row.digest.high);
  hash.add(row.values);
}

void add_header(measure::ContentHash& hash, const TraceContent& trace) {
  hash.add("trace");
  hash.add(trace.schema);
  hash.add(trace.rank);
  hash.add(trace.ranks);
  hash.add(trace.joined_ranks);
  hash.add(trace.last_step);
  for (const auto& [name, text] : trace.texts) {
    hash.add(name);
    hash.add(text);
  }
}

void add_series(measure::ContentHash& hash, const TraceContent& trace) {
  hash.add("steps");
  hash.add(trace.steps);
  hash.add("channels");
  add_count(hash, trace.channels.size());
  for (const auto& [name, channel] : trace.channels) {
    hash.add(name);
    hash.add(name_of(channel.kind));
    hash.add(std::holds_alternative<std::vector<int64_t>>(channel.values) ? "int64" : "float64");
    std::visit([&](const auto& values) { hash.add(values); }, channel.values);
  }
}

void add_ranks(measure::ContentHash& hash, const TraceContent& trace) {
  hash.add("ranks");
  add_count(hash, trace.rank_files.size());
  for (const RankFile& file : trace.rank_files) {
    hash.add(file.name);
    hash.add(file.size);
    hash.add(file.digest);
  }
  hash.add("layouts");
  add_count(hash, trace.layout_texts.size());
  for (const std::string& text : trace.layout_texts)
    hash.add(text);
}

void add_sketches(measure::ContentHash& hash, const TraceContent& trace) {
  hash.add("sketches");
  add_count(hash, trace.sketches.size());
  for (const SketchRow& row : trace.sketches)
    add_row(hash, row);
  hash.add("part_sketches");
  add_count(hash, trace.part_sketches.size());
  for (const PartRow& part : trace.part_sketches) {
    add_row(hash, part.row);
    hash.add(part.layout);
  }
}

void add_tensors(measure::ContentHash& hash, const TraceContent& trace) {
  hash.add("tensors");
  add_count(hash, trace.tensors.size());
  for (const auto& [key, place] : trace.tensors) {
    add_tensor_key(hash, key);
    hash.add(place.order);
    hash.add(name_of(place.dtype));
    hash.add(place.shape);
    hash.add(place.layout.value_or(-1));
  }
}

}  // namespace

std::string trace_digest(const TraceContent& trace) {
  measure::ContentHash hash;
  add_header(hash, trace);
  add_series(hash, trace);
  add_ranks(hash, trace);
  add_sketches(hash, trace);
  add_tensors(hash, trace);
  return hash.hex();
}

}  // namespace parity::trace
