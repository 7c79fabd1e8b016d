// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/trace_file.hpp"

#include "harness/base/error.hpp"
#include "harness/trace/element_type.hpp"
#include "harness/trace/path_name.hpp"
#include "harness/trace/schema.hpp"
#include "harness/trace/sketch_table.hpp"

namespace parity {
namespace fs = std::filesystem;
using hdf5::Handle;
namespace {

constexpr std::string_view status_complete = "complete";
constexpr std::string_view status_partial{"partial\0", 8};  // as long, so that it is replaced in place
constexpr int64_t chunk_rows = 256;                         // of steps and channels: 2 KiB

Handle open_rows(hid_t parent, const std::string& name) {
  return {H5Dopen2(parent, name.c_str(), H5P_DEFAULT), "cannot open dataset " + name};
}

/// Renames, saying why it could not.
void move_file(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error)
    throw UserError("cannot rename " + from.string() + " to " + to.string() + " (" + error.message() + ")");
}

void write_view(hid_t parent, const std::string& name, const TensorView& view) {
  hdf5::write_contiguous(parent, name, element_type(view.dtype), view.shape, view.data);
}

}  // namespace

fs::path partial_path(const fs::path& path) {
  fs::path partial = path;
  partial += ".partial";
  return partial;
}

TraceFile::TraceFile(fs::path path, const Json& config, const Json& provenance, int64_t append_after)
    : path_(std::move(path)), partial_(partial_path(path_)) {
  const auto guard = hdf5::lock();
  if (append_after == 0)
    create(config, provenance);
  else
    reopen(config, append_after);
}

TraceFile::~TraceFile() = default;

void TraceFile::create(const Json& config, const Json& provenance) {
  std::error_code ignored;
  if (path_.has_parent_path())
    fs::create_directories(path_.parent_path(), ignored);
  fs::remove(path_, ignored);  // or a reader would take the old run for this one if this one dies
  file_ = hdf5::open_file(partial_, hdf5::Access::create);
  hdf5::write_attribute(file_, "schema", std::string_view(trace_schema));
  hdf5::write_attribute(file_, "status", status_partial);
  hdf5::write_attribute(file_, "last_step", int64_t{0});
  hdf5::write_attribute(file_, "config", config.is_null() ? "{}" : config.dump());
  hdf5::write_attribute(file_, "provenance", provenance.is_null() ? "{}" : provenance.dump());
  hdf5::create_rows(file_, "steps", H5T_STD_I64LE, {}, chunk_rows);
  hdf5::create_group(file_, "channels");
  hdf5::create_group(file_, "tensors");
  flush();
}

void TraceFile::reopen(const Json& config, int64_t append_after) {
  {
    const Trace before = Trace::open(path_);
    const std::string what = "cannot append to " + path_.string() + " (";
    if (!before.complete() || before.last_step() != append_after)
      throw UserError(what + "it ends after step " + std::to_string(before.last_step()) +
                      (before.complete() ? "" : " and is not complete") + ", the run goes on after step " +
                      std::to_string(append_after) + "); resume from the checkpoint that belongs to it");
    if (!config.is_null() && before.config() != config)
      throw UserError(what + "it was recorded under another config: " +
                      Json::diff(before.config(), config).dump() + "); resume with the same config");
    rows_ = static_cast<int64_t>(before.steps().size());
    for (const auto& [name, channel] : before.channels())
      channels_[name] = channel.kind;
  }
  move_file(path_, partial_);
  file_ = hdf5::open_file(partial_, hdf5::Access::append);
  hdf5::write_attribute(file_, "status", status_partial);
  flush();
}

void TraceFile::add_tensor(const TensorKey& key, int64_t order, const TensorView& view) {
  const auto guard = hdf5::lock();
  Handle group = hdf5::open_group(file_, "tensors");
  for (const std::string& name :
       {std::to_string(key.step), std::string(name_of(key.phase)), encode_name(key.name)})
    group = hdf5::open_or_create_group(group, name);
  write_view(group, "0", view);
  const Handle part = open_rows(group, "0");
  hdf5::write_attribute(part, "dtype", name_of(view.dtype));
  hdf5::write_attribute(part, "global_shape", std::span<const int64_t>(view.shape));
  hdf5::write_attribute(part, "order", order);
}

void TraceFile::add_sketch(SketchRow row) {
  sketches_.push_back(std::move(row));
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
  const std::string at = " at step " + std::to_string(step);
  const Handle group = hdf5::open_group(file_, "channels");
  for (const auto& [name, kind] : channels_)
    if (!channels.contains(name))
      throw UserError("channel " + name + " has no value" + at + " (a channel has one a step); record it");
  for (const auto& [name, channel] : channels) {
    const bool integer = std::holds_alternative<int64_t>(channel.value);
    const hid_t type = integer ? H5T_STD_I64LE : H5T_IEEE_F64LE;
    const std::string link = encode_name(name);
    if (!channels_.contains(name)) {
      if (rows_ != 0)
        throw UserError("channel " + name + " begins" + at +
                        " (a channel has a value for every step); record it from the first step on");
      const Handle dataset = hdf5::create_rows(group, link, type, {}, chunk_rows);
      hdf5::write_attribute(dataset, "kind",
                            std::string_view(channel.kind == ChannelKind::timing ? "timing" : "numeric"));
      channels_[name] = channel.kind;
    }
    const Handle dataset = open_rows(group, link);
    const Handle stored(H5Dget_type(dataset), "cannot read the type of channel " + name);
    if ((H5Tget_class(stored) == H5T_INTEGER) != integer || channels_[name] != channel.kind)
      throw UserError("channel " + name + at + " is of another type or kind than before (it has one)");
    std::visit([&](const auto& value) { hdf5::append_rows(dataset, type, 1, &value); }, channel.value);
  }
}

void TraceFile::end_step(int64_t step, const ChannelValues& channels) {
  const auto guard = hdf5::lock();
  if (!sketches_.empty()) {
    write_sketches(hdf5::open_or_create_group(file_, "sketches"), sketches_, SketchLayout::growing);
    sketches_.clear();
  }
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

void TraceFile::flush() {
  hdf5::check(H5Fflush(file_, H5F_SCOPE_LOCAL), "cannot write " + partial_.string());
}

void TraceFile::finish() {
  const auto guard = hdf5::lock();
  hdf5::write_attribute(file_, "status", status_complete);
  hdf5::close_file(file_, partial_);
  move_file(partial_, path_);
}

void TraceFile::abandon() {
  const auto guard = hdf5::lock();
  hdf5::close_file(file_, partial_);
}

}  // namespace parity
