// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/write/trace_file.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/trace/format/file_names.hpp"
#include "harness/trace/format/layout_json.hpp"
#include "harness/trace/format/schema.hpp"
#include "harness/trace/hdf5/element_type.hpp"
#include "harness/trace/hdf5/path_name.hpp"
#include "harness/trace/read/rank_files.hpp"
#include "harness/trace/read/read_trace_file.hpp"
#include "harness/trace/read/sketch_table.hpp"
#include "harness/trace/read/trace_digest.hpp"
#include "harness/trace/write/earlier_run.hpp"

namespace parity::trace {
namespace fs = std::filesystem;
using hdf5::Handle;
namespace {

constexpr std::string_view status_complete = "complete";
constexpr std::string_view status_partial{"partial\0", 8};  // padded, so that it is replaced in place
constexpr int64_t chunk_rows = 256;                         // of steps and channels: 2 KiB

Handle open_rows(hid_t parent, const std::string& name) {
  return {H5Dopen2(parent, name.c_str(), H5P_DEFAULT), "cannot open dataset " + name};
}

/// Renames a file; an error states the cause.
void move_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error)
    throw UserError(fmt::format("cannot rename {} to {} ({})", from.string(), to.string(), error.message()));
}

/// Returns whether files of ranks lie apart when rank 0 ends (PARITY_JOIN). \throws UserError for another
/// value
bool joins_later() {
  const char* text = std::getenv("PARITY_JOIN");
  const std::string_view value = text == nullptr ? "" : text;
  if (!value.empty() && value != "later")
    throw UserError(
        fmt::format("cannot use PARITY_JOIN = {} (the only value is later); unset it, and rank 0 "
                    "writes the index of the ranks itself",
                    parity::quoted(value)));
  return value == "later";
}

void write_view(hid_t parent, const std::string& name, const TensorView& view) {
  hdf5::write_contiguous(parent, name, element_type(view.dtype), view.shape, view.data);
}

}  // namespace

void complete_file(Handle& file, const fs::path& partial, const fs::path& path) {
  hdf5::check(H5Fflush(file, H5F_SCOPE_LOCAL), "cannot write " + partial.string());
  hdf5::write_attribute(file, digest_attribute, trace_digest(read_open_trace(file, partial)));
  hdf5::write_attribute(file, "status", status_complete);
  hdf5::close_file(file, partial);
  move_file(partial, path);
}

TraceFile::TraceFile(const fs::path& path, const Json& config, const Json& provenance, int64_t append_after,
                     RankPlace place)
    : place_(place),
      provenance_(provenance.is_null() ? Json::object() : provenance),
      joins_later_(joins_later()),
      path_(rank_path(path, place.rank)),
      partial_(partial_path(path_)) {
  const auto guard = hdf5::lock();
  if (append_after == 0)
    create(config);
  else
    reopen(config, append_after);
}

TraceFile::~TraceFile() = default;

void TraceFile::create(const Json& config) {
  std::error_code ignored;
  if (path_.has_parent_path())
    fs::create_directories(path_.parent_path(), ignored);
  // A reader would otherwise mistake the old run for this one if this one dies.
  if (place_.rank == 0)
    remove_rank_files_of_earlier_run(path_);
  fs::remove(path_, ignored);
  file_ = hdf5::open_file(partial_, hdf5::Access::create);
  hdf5::write_attribute(file_, "schema", trace_schema);
  if (place_.ranks > 1) {
    hdf5::write_attribute(file_, "rank", place_.rank);
    hdf5::write_attribute(file_, "ranks", place_.ranks);
  }
  hdf5::write_attribute(file_, "status", status_partial);
  hdf5::write_attribute(file_, "last_step", int64_t{0});
  hdf5::write_attribute(file_, "config", config.is_null() ? "{}" : config.dump());
  hdf5::write_attribute(file_, "provenance", provenance_.dump());
  hdf5::create_rows(file_, "steps", H5T_STD_I64LE, {}, chunk_rows);
  hdf5::create_group(file_, "channels");
  hdf5::create_group(file_, "tensors");
  flush();
}

void TraceFile::reopen(const Json& config, int64_t append_after) {
  {
    const std::unique_ptr<TraceContent> before = read_trace_file(path_);
    const auto refuse = [this](const std::string& why, const char* hint) {
      throw UserError(fmt::format("cannot append to {} ({}); {}", path_.string(), why, hint));
    };
    if (!before->complete || before->last_step != append_after)
      refuse(fmt::format("it ends after step {}{}, the run resumes after step {}", before->last_step,
                         before->complete ? "" : " and is not complete", append_after),
             "resume from the checkpoint of that step");
    if (before->rank != place_.rank || before->ranks != place_.ranks)
      refuse(fmt::format("it is of rank {} of {}, this is rank {} of {}", before->rank, before->ranks,
                         place_.rank, place_.ranks),
             "start a new trace");
    if (!config.is_null() && before->config != config)
      refuse(
          fmt::format("it was recorded with another config: {}", Json::diff(before->config, config).dump()),
          "resume with the same config");
    rows_ = static_cast<int64_t>(before->steps.size());
    for (const auto& [name, channel] : before->channels)
      channels_[name] = channel.kind;
    layouts_ = before->layouts;
    faults_ = before->faults;
    provenance_ = before->provenance;
  }
  move_file(path_, partial_);
  file_ = hdf5::open_file(partial_, hdf5::Access::append);
  hdf5::write_attribute(file_, "schema", trace_schema);
  hdf5::write_attribute(file_, "status", status_partial);
  hdf5::remove_attribute(file_, digest_attribute);
  if (hdf5::exists(file_, "ranks"))
    hdf5::check(H5Ldelete(file_, "ranks", H5P_DEFAULT), "cannot replace /ranks of " + path_.string());
  flush();
}

int64_t TraceFile::number_of(const TensorLayout& layout) {
  const auto known = std::find(layouts_.begin(), layouts_.end(), layout);
  const auto number = known - layouts_.begin();
  if (known == layouts_.end()) {
    const Handle all = hdf5::open_or_create_group(file_, "layouts");
    const Handle group = hdf5::create_group(all, std::to_string(number));
    hdf5::write_attribute(group, "layout", to_json(layout).dump());
    layouts_.push_back(layout);
  }
  return number;
}

void TraceFile::add_tensor(const TensorKey& key, int64_t order, const TensorView& view,
                           const TensorLayout* layout) {
  const auto guard = hdf5::lock();
  Handle group = hdf5::open_group(file_, "tensors");
  for (const std::string& name :
       {std::to_string(key.step), std::string(name_of(key.phase)), encode_name(key.name)})
    group = hdf5::open_or_create_group(group, name);
  const char* const name = layout ? part_name : whole_name;
  write_view(group, name, view);
  const Handle part = open_rows(group, name);
  hdf5::write_attribute(part, "dtype", name_of(view.dtype));
  hdf5::write_attribute(part, "global_shape",
                        std::span<const int64_t>(layout ? layout->global_shape : view.shape));
  hdf5::write_attribute(part, "order", order);
  if (layout)
    hdf5::write_attribute(part, "layout", number_of(*layout));
}

void TraceFile::add_sketch(SketchRow row, const TensorLayout* layout) {
  if (layout) {
    const auto guard = hdf5::lock();
    part_sketches_.push_back({std::move(row), number_of(*layout)});
  } else {
    sketches_.push_back(std::move(row));
  }
}

void TraceFile::append_sketches() {
  if (!sketches_.empty())
    write_sketches(hdf5::open_or_create_group(file_, "sketches"), sketches_, SketchLayout::growing);
  sketches_.clear();
  if (part_sketches_.empty())
    return;
  std::vector<SketchRow> rows;
  std::vector<int64_t> layouts;
  for (PartRow& part : part_sketches_) {
    rows.push_back(std::move(part.row));
    layouts.push_back(part.layout);
  }
  part_sketches_.clear();
  const Handle group = hdf5::open_or_create_group(file_, "part_sketches");
  write_sketches(group, rows, SketchLayout::growing);
  write_sketch_layouts(group, layouts);
}

void TraceFile::add_replay(const std::vector<std::string>& place, const TensorView& view) {
  const auto guard = hdf5::lock();
  Handle group = hdf5::open_or_create_group(file_, "replay");
  for (size_t i = 0; i + 1 < place.size(); ++i)
    group = hdf5::open_or_create_group(group, encode_name(place[i]));
  write_view(group, encode_name(place.back()), view);
  hdf5::write_attribute(open_rows(group, encode_name(place.back())), "dtype", name_of(view.dtype));
}

void TraceFile::append_channels(int64_t step, const ChannelValues& channels) {
  const auto refuse = [step](const std::string& name, const char* why, const char* hint) {
    throw UserError(fmt::format("cannot record channel {} at step {} ({}); {}", name, step, why, hint));
  };
  const Handle group = hdf5::open_group(file_, "channels");
  for (const auto& [name, kind] : channels_)
    if (!channels.contains(name))
      refuse(name, "it has no value", "record one value a step");
  for (const auto& [name, channel] : channels) {
    const bool integer = std::holds_alternative<int64_t>(channel.value);
    const hid_t type = integer ? H5T_STD_I64LE : H5T_IEEE_F64LE;
    const std::string link = encode_name(name);
    if (!channels_.contains(name)) {
      if (rows_ != 0)
        refuse(name, "earlier steps have no value", "record it from the first step on");
      const Handle dataset = hdf5::create_rows(group, link, type, {}, chunk_rows);
      hdf5::write_attribute(dataset, "kind", name_of(channel.kind));
      channels_[name] = channel.kind;
    }
    const Handle dataset = open_rows(group, link);
    const Handle stored(H5Dget_type(dataset), "cannot read the type of channel " + name);
    if ((H5Tget_class(stored) == H5T_INTEGER) != integer || channels_[name] != channel.kind)
      refuse(name, "its type or kind has changed", "record one type and kind");
    std::visit([&](const auto& value) { hdf5::append_rows(dataset, type, 1, &value); }, channel.value);
  }
}

void TraceFile::end_step(int64_t step, const ChannelValues& channels) {
  const auto guard = hdf5::lock();
  append_sketches();
  if (step > 0) {
    append_channels(step, channels);
    hdf5::append_rows(open_rows(file_, "steps"), H5T_STD_I64LE, 1, &step);
    hdf5::write_attribute(file_, "last_step", step);
    ++rows_;
  }
  flush();
}

void TraceFile::set_failure(const Json& what) {
  const auto guard = hdf5::lock();
  hdf5::write_attribute(file_, "failure", what.dump());
  flush();
}

void TraceFile::describe(const Json& recipe) {
  provenance_["recipe"].update(recipe);
  const auto guard = hdf5::lock();
  hdf5::write_attribute(file_, "provenance", provenance_.dump());
}

void TraceFile::set_faults(const std::vector<FaultReport>& reports) {
  std::vector<FaultReport> all = faults_;
  add(all, reports);
  const auto guard = hdf5::lock();
  hdf5::write_attribute(file_, "faults", to_json(all).dump());
}

void TraceFile::flush() {
  hdf5::check(H5Fflush(file_, H5F_SCOPE_LOCAL), "cannot write " + partial_.string());
}

/// Leaves the trace partial, as that of a rank 0 that ended well and saw no other file.
void TraceFile::leave_index_to_join() {
  const Json failure = {{"kind", failure_of_ranks},
                        {"reason", "rank 0 left the index of the ranks to parity join (PARITY_JOIN=later)"}};
  hdf5::write_attribute(file_, "failure", failure.dump());
  flush();
  hdf5::close_file(file_, partial_);
}

void TraceFile::write_index() {
  try {
    write_rank_index(file_, finished_rank_files(path_, place_.ranks));
  } catch (const UserError&) {
    const Json failure = {{"kind", failure_of_ranks},
                          {"reason", "rank 0 ended before the file of each other rank was there"}};
    hdf5::write_attribute(file_, "failure", failure.dump());
    flush();
    throw;
  }
}

void TraceFile::finish() {
  const auto guard = hdf5::lock();
  if (place_.rank == 0 && place_.ranks > 1) {
    if (joins_later_)
      return leave_index_to_join();
    write_index();
  }
  complete_file(file_, partial_, path_);
}

void TraceFile::abandon() {
  const auto guard = hdf5::lock();
  hdf5::close_file(file_, partial_);
}

}  // namespace parity::trace
