// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/read/read_trace_file.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/trace/format/layout_json.hpp"
#include "harness/trace/format/schema.hpp"
#include "harness/trace/hdf5/path_name.hpp"
#include "harness/trace/hdf5/probe.hpp"
#include "harness/trace/read/missing_rows.hpp"
#include "harness/trace/read/sketch_table.hpp"
#include "harness/trace/read/tensor_proof.hpp"
#include "harness/trace/read/trace_digest.hpp"

namespace parity::trace {
namespace fs = std::filesystem;
using hdf5::Handle;
namespace {

std::optional<std::string> read_text(const InputFile& file, TraceContent& trace,
                                     const std::string& attribute) {
  auto text = hdf5::read_string_attribute(file.root(), attribute);
  if (text)
    trace.texts[attribute] = *text;
  return text;
}

Json parse_json(const InputFile& file, TraceContent& trace, const std::string& attribute) {
  const auto text = read_text(file, trace, attribute);
  if (!text)
    return Json::object();
  Json json = read_json(*text);
  if (!json.is_object())
    file.refuse(fmt::format("its attribute {} is not a JSON object", attribute));
  return json;
}

/// Returns the values of a channel. A killed run may have rows of an unfinished step; those are left out.
template <class T>
std::vector<T> cut(const InputFile& file, const std::string& name, std::vector<T> values, size_t steps,
                   bool complete) {
  if (values.size() < steps || (complete && values.size() != steps))
    file.refuse(fmt::format("channel {} has {} values for {} steps", name, values.size(), steps));
  values.resize(steps);
  return values;
}

/// Returns the number that follows the schema's major version.
int64_t minor_of(const InputFile& file, const std::string& schema) {
  const std::string digits = schema.substr(trace_schema_major.size());
  int64_t minor = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), minor);
  if (error != std::errc() || end != digits.data() + digits.size() || minor < 0)
    file.refuse(fmt::format("its schema is {}, whose minor version is not a number", parity::quoted(schema)));
  return minor;
}

void read_header(const InputFile& file, TraceContent& trace) {
  trace.schema = hdf5::read_string_attribute(file.root(), "schema").value_or("");
  if (trace.schema.empty())
    file.refuse("it has no attribute schema, so it is not a trace");
  if (!trace.schema.starts_with(trace_schema_major))
    file.refuse(fmt::format("its schema is {}, expected {}x", trace.schema, trace_schema_major));
  trace.minor = minor_of(file, trace.schema);
  const std::string status = hdf5::read_string_attribute(file.root(), "status").value_or("");
  if (status != "complete" && status != "partial")
    file.refuse(fmt::format("its status is '{}', expected complete or partial", status));
  trace.complete = status == "complete";
  trace.rank = hdf5::read_integer_attribute(file.root(), "rank").value_or(0);
  trace.ranks = hdf5::read_integer_attribute(file.root(), "ranks").value_or(1);
  if (trace.rank < 0 || trace.rank >= trace.ranks)
    file.refuse(fmt::format("it is of rank {} of {}", trace.rank, trace.ranks));
  trace.joined_ranks = hdf5::read_integer_attribute(file.root(), "joined_ranks").value_or(1);
  if (trace.joined_ranks < 1 || (trace.joined_ranks > 1 && trace.ranks > 1))
    file.refuse(fmt::format("it joins {} ranks, but is of one of {}", trace.joined_ranks, trace.ranks));
  trace.config = parse_json(file, trace, "config");
  trace.provenance = parse_json(file, trace, "provenance");
  if (hdf5::read_string_attribute(file.root(), "failure"))
    trace.failure = parse_json(file, trace, "failure");
  if (const auto text = read_text(file, trace, "faults"))
    try {
      trace.faults = fault_reports_from_json(read_json(*text));
    } catch (const UserError& error) {
      file.refuse(error.what());
    }
}

void read_steps(const InputFile& file, TraceContent& trace) {
  std::vector<int64_t>& steps = trace.steps;
  steps = hdf5::read_integers(file.dataset(file.root(), "steps"));
  for (size_t i = 0; i < steps.size(); ++i)
    if (steps[i] <= (i ? steps[i - 1] : 0))
      file.refuse(fmt::format("/steps does not increase from 1: row {} has {}", i, steps[i]));
  const int64_t found = steps.empty() ? 0 : steps.back();
  const auto last_step = hdf5::read_integer_attribute(file.root(), "last_step");
  if (!last_step && trace.minor >= trace_minor_with_digest)
    file.refuse(
        fmt::format("corrupt trace: it has no attribute last_step, which schema {} requires", trace.schema));
  trace.last_step = last_step.value_or(found);
  if (trace.last_step > found || (trace.complete && trace.last_step != found))
    file.refuse(fmt::format("its last_step is {}, but /steps ends at {}", trace.last_step, found));
  steps.erase(std::upper_bound(steps.begin(), steps.end(), trace.last_step), steps.end());
}

void read_channels(const InputFile& file, TraceContent& trace) {
  const Handle group = file.group(file.root(), "channels");
  for (const std::string& link : file.names(group)) {
    const std::string name = decode_name(link);
    const Handle dataset = file.dataset(group, link);
    if (hdf5::shape_of(dataset).size() != 1)
      file.refuse(fmt::format("channel {} is not a list of numbers", name));
    Channel channel;
    const std::string kind = hdf5::read_string_attribute(dataset, "kind").value_or("numeric");
    if (const auto kinds = names_of<ChannelKind>();
        std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
      file.refuse(fmt::format("channel {} is of kind {}, expected numeric, timing or per_rank", name,
                              parity::quoted(kind)));
    channel.kind = parse_enum<ChannelKind>(kind);
    const Handle type(H5Dget_type(dataset), "cannot read the type of channel " + name);
    const size_t steps = trace.steps.size();
    if (H5Tget_class(type) == H5T_INTEGER)
      channel.values = cut(file, name, hdf5::read_integers(dataset), steps, trace.complete);
    else
      channel.values = cut(file, name, hdf5::read_floats(dataset), steps, trace.complete);
    if (!trace.channels.emplace(name, std::move(channel)).second)
      file.refuse(fmt::format("two of its channels are called '{}': one name is encoded needlessly", name));
  }
}

/// Reads /layouts/0, /layouts/1, ...
void read_layouts(const InputFile& file, TraceContent& trace) {
  if (!file.has(file.root(), "layouts"))
    return;
  const Handle group = file.group(file.root(), "layouts");
  const size_t count = file.names(group).size();
  for (size_t i = 0; i < count; ++i) {
    const Handle layout = file.group(group, std::to_string(i));
    const auto text = hdf5::read_string_attribute(layout, "layout");
    try {
      trace.layout_texts.push_back(text.value_or(""));
      trace.layouts.push_back(layout_from_json(read_json(text.value_or(""))));
      trace.covers.push_back(cover_of(trace.layouts.back()));
    } catch (const UserError& error) {
      file.refuse("/layouts/" + std::to_string(i) + ": " + error.what());
    }
  }
}

bool fits(const TraceContent& trace, int64_t layout, const Shape& shape) {
  return layout >= 0 && layout < static_cast<int64_t>(trace.covers.size()) &&
         shape_of(trace.covers[static_cast<size_t>(layout)]) == shape;
}

/// Checks that no tensor occurs twice, and that each part has the size of its layout.
void check_sketches(const InputFile& file, const TraceContent& trace) {
  std::set<TensorKey> seen;
  const auto check_new = [&](const TensorKey& key) {
    if (!seen.insert(key).second)
      file.refuse(fmt::format("it has two sketches of {} at step {}", key.name, key.step));
  };
  for (const SketchRow& row : trace.sketches)
    check_new(row.key);
  for (const PartRow& part : trace.part_sketches) {
    check_new(part.row.key);
    if (!fits(trace, part.layout, part.row.shape))
      file.refuse(fmt::format("the shard of {} at step {} does not match its layout", part.row.key.name,
                              part.row.key.step));
  }
}

/// Reads /ranks, which has a row per file.
void read_rank_index(const InputFile& file, TraceContent& trace) {
  if (!file.has(file.root(), "ranks")) {
    if (trace.complete && trace.rank == 0 && trace.ranks > 1)
      file.refuse(fmt::format("corrupt trace: it has {} ranks, but no index of them", trace.ranks));
    return;
  }
  const Handle group = file.group(file.root(), "ranks");
  const auto names = hdf5::read_strings(file.dataset(group, "file"));
  const auto sizes = hdf5::read_integers(file.dataset(group, "size"));
  const auto digests = hdf5::read_strings(file.dataset(group, "digest"));
  if (names.size() != static_cast<size_t>(trace.ranks - 1) || sizes.size() != names.size() ||
      digests.size() != names.size())
    file.refuse(
        fmt::format("its /ranks does not have one row for each of the other {} ranks", trace.ranks - 1));
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty() || names[i].find('/') != std::string::npos || names[i] == "..")
      file.refuse(
          fmt::format("its /ranks names {}, which is not a file next to it", parity::quoted(names[i])));
    trace.rank_files.push_back({names[i], sizes[i], digests[i]});
  }
}

void read_all_sketches(const InputFile& file, TraceContent& trace) {
  const auto until = trace.complete ? std::nullopt : std::optional(trace.last_step);
  if (file.has(file.root(), "sketches"))
    trace.sketches = read_sketches(file, file.group(file.root(), "sketches"), until);
  if (file.has(file.root(), "part_sketches")) {
    const Handle group = file.group(file.root(), "part_sketches");
    std::vector<SketchRow> rows = read_sketches(file, group, until);
    const std::vector<int64_t> layouts = read_sketch_layouts(file, group, until);
    for (size_t i = 0; i < rows.size(); ++i)
      trace.part_sketches.push_back({std::move(rows[i]), layouts[i]});
  }
  check_sketches(file, trace);
}

/// Checks that each part among the tensors has the size of its layout.
void check_parts(const InputFile& file, const TraceContent& trace) {
  for (const auto& [key, place] : trace.tensors)
    if (place.layout && !fits(trace, *place.layout, place.shape))
      file.refuse(fmt::format("the shard of {} at step {} does not match its layout", key.name, key.step));
}

/// Checks the digest that a complete file states over its content; from version 1.2 on a file must have one.
void check_trace_digest(const InputFile& file, const TraceContent& trace) {
  const auto stored = hdf5::read_string_attribute(file.root(), digest_attribute);
  if (!trace.complete)
    return;
  if (!stored && trace.minor >= trace_minor_with_digest)
    file.refuse(
        fmt::format("corrupt trace: it has no attribute digest, which schema {} requires", trace.schema));
  if (!stored)
    return;
  if (const std::string found = trace_digest(trace); found != *stored)
    file.refuse(fmt::format("corrupt trace: its content has the digest {}, expected {}", found,
                            escape_to_line(*stored)));
}

void read_content(const InputFile& file, TraceContent& trace) {
  trace.path = file.path();
  read_header(file, trace);
  read_steps(file, trace);
  read_channels(file, trace);
  read_layouts(file, trace);
  read_rank_index(file, trace);
  read_all_sketches(file, trace);
  trace.tensors = read_tensor_index(file, trace.complete ? std::nullopt : std::optional(trace.last_step));
  check_parts(file, trace);
  attach_row_digests(file, trace);
  check_trace_digest(file, trace);
}

/// Maps the tensors' values that are contiguous in the file.
void map_values(const InputFile& file, TraceContent& trace) {
  const auto is_mapped = [](const auto& entry) { return entry.second.offset.has_value(); };
  if (std::any_of(trace.tensors.begin(), trace.tensors.end(), is_mapped))
    trace.mapped = std::make_unique<MappedFile>(file.descriptor(), file.path(), file.size());
}

/// Reads all that a caller asks HDF5 about a file.
void read_once(const fs::path& path) {
  TraceContent trace;
  const InputFile file(path);
  read_content(file, trace);
  map_values(file, trace);
}

}  // namespace

void probe_trace_files(const std::vector<fs::path>& paths) {
  probe_ahead(paths, read_once);
}

std::unique_ptr<TraceContent> read_trace_file(const fs::path& path) {
  const auto guard = hdf5::lock();
  probe(path, [&] { read_once(path); });
  auto trace = std::make_unique<TraceContent>();
  const InputFile file(path);
  read_content(file, *trace);
  map_values(file, *trace);
  add_missing_rows(*trace);
  return trace;
}

TraceContent read_open_trace(hid_t file, const fs::path& path) {
  TraceContent trace;
  read_content(InputFile(path, file), trace);
  return trace;
}

}  // namespace parity::trace
