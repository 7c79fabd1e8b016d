// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/api/recorder/open_recorder.hpp"

#include <cstdlib>

#include "harness/api/recorder/boundary.hpp"
#include "harness/api/recorder/load_device_measure.hpp"
#include "harness/api/recorder/versioned.hpp"
#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/trace/format/layout_json.hpp"
#include "harness/trace/write/pieces.hpp"

namespace parity::capi {
namespace {

trace::Capture capture_of(const parity_recorder_options& options) {
  const bool has_file = options.capture_file != nullptr && *options.capture_file != '\0';
  if (!has_file)
    return trace::Capture::from_json(parse_object(options.capture, "capture"));
  if (options.capture != nullptr)
    throw UserError("both capture and capture_file are set; leave one of them NULL");
  const std::string text = read_file(options.capture_file);
  return trace::Capture::from_json(parse_object(text.c_str(), "capture_file"));
}

void add_micro_batch(TensorLayout& layout, const parity_tensor& tensor, const Shape& shape) {
  if (shape.empty())
    throw UserError("a scalar cannot be one of several micro-batches' rows; give it a dimension");
  if (layout.global_shape.empty()) {
    layout.global_shape = shape;
    layout.global_shape[0] = tensor.rows;
  }
  layout.placements.push_back({std::string(trace::micro_batch_dimension), tensor.micro_batch,
                               tensor.micro_batches,
                               Shard{0, {{tensor.first_row, tensor.first_row + shape[0]}}}});
}

void check_flags(const parity_tensor& tensor, uint32_t known) {
  if ((tensor.flags & ~known) != 0)
    throw UserError("parity_tensor.flags has bits that this function of parity " PARITY_VERSION_STRING
                    " does not know");
}

std::optional<int64_t> order_of(const parity_tensor& tensor) {
  if ((tensor.flags & PARITY_TENSOR_ORDERED) == 0)
    return std::nullopt;
  return tensor.order;
}

/// Opens the heartbeat that PARITY_HEARTBEAT names. Returns null if the file cannot be written: the training
/// continues.
std::unique_ptr<Heartbeat> open_heartbeat(int64_t rank) {
  const char* file = std::getenv("PARITY_HEARTBEAT");
  if (file == nullptr || *file == '\0')
    return nullptr;
  try {
    return std::make_unique<Heartbeat>(file, rank);
  } catch (const UserError&) {
    return nullptr;  // such as a folder that this machine does not share
  }
}

}  // namespace

parity_recorder_options read_options(const parity_recorder_options* given) {
  constexpr size_t first = offsetof(parity_recorder_options, append_after) + sizeof(int64_t);
  return read_versioned(given, first, "parity_recorder_options");
}

parity_tensor read_tensor(const parity_tensor* given) {
  constexpr size_t first = offsetof(parity_tensor, rows) + sizeof(int64_t);
  return read_versioned(given, first, "parity_tensor");
}

trace::Recorder::Options options_of(const parity_recorder_options& options) {
  const int64_t ranks = options.ranks == 0 ? 1 : options.ranks;
  if (ranks < 1 || options.rank < 0 || options.rank >= ranks)
    throw UserError("rank " + std::to_string(options.rank) + " of " + std::to_string(ranks) +
                    " does not exist (ranks count from 0); set rank and ranks of parity_recorder_options");
  return {.path = needed_text(options.path, "path"),
          .config = parse_object(options.config, "config"),
          .provenance = parse_object(options.provenance, "provenance"),
          .capture = capture_of(options),
          .append_after = options.append_after,
          .rank = options.rank,
          .ranks = ranks};
}

OpenRecorder::OpenRecorder(trace::Recorder::Options options)
    : heartbeat_(open_heartbeat(options.rank)), recorder_(std::move(options)) {}

void OpenRecorder::end_step() {
  recorder_.end_step();
  if (heartbeat_)
    heartbeat_->beat(step_, "train");
}

void OpenRecorder::begin_step(int64_t step) {
  recorder_.begin_step(step);
  step_ = step;
  for (Name& name : names_)
    name.wanted.reset();
}

int64_t OpenRecorder::intern(const char* phase, const char* name) {
  const auto point = parse_enum<trace::Phase>(needed_text(phase, "phase"));
  const auto [found, added] = ids_.try_emplace({point, needed_text(name, "name")}, 0);
  if (added) {
    names_.push_back({point, found->first.second, std::nullopt});
    found->second = static_cast<int64_t>(names_.size());
  }
  return found->second;
}

OpenRecorder::Name& OpenRecorder::name_of_id(int64_t id) {
  if (id < 1 || id > static_cast<int64_t>(names_.size()))
    throw UserError("id " + std::to_string(id) +
                    " names no tensor; use what parity_recorder_intern returned");
  return names_[static_cast<size_t>(id - 1)];
}

int OpenRecorder::wants(int64_t id) {
  Name& name = name_of_id(id);
  if (!name.wanted) {
    const bool changed = recorder_.may_change(name.phase, name.name);
    name.wanted = (recorder_.wants(name.phase, name.name) ? PARITY_WANTS_TENSOR : 0) |
                  (changed ? PARITY_WANTS_WRITABLE : 0) |
                  (recorder_.wants_teaching(name.phase, name.name) ? PARITY_WANTS_RECOMPUTED : 0);
  }
  return *name.wanted;
}

bool OpenRecorder::wants_elements(int64_t id) {
  const Name& name = name_of_id(id);
  return recorder_.wants_elements(name.phase, name.name);
}

TensorLayout OpenRecorder::layout_of(const parity_tensor& tensor) {
  TensorLayout layout;
  if (tensor.layout != nullptr) {
    const auto [found, added] = layouts_.try_emplace(tensor.layout);
    if (added) {
      try {
        found->second = trace::layout_from_json(parse_object(tensor.layout, "layout"));
      } catch (...) {
        layouts_.erase(found);
        throw;
      }
    }
    layout = found->second;
  }
  if (tensor.micro_batches != 0)
    add_micro_batch(layout, tensor, shape_of(tensor));
  return layout;
}

void OpenRecorder::teach(const Name& name, const parity_tensor& tensor, const TensorLayout& layout) {
  if (!recorder_.wants_teaching(name.phase, name.name))
    return;
  if (tensor.writable == nullptr)
    throw UserError("cannot teach the recomputed tensor " + name.name +
                    " (its memory is read only); set writable");
  HostValues values(tensor, parse_enum<DType>(needed_text(tensor.dtype, "dtype")));
  recorder_.teach(name.phase, name.name, values.view(), values.writable(), layout);
  values.write_back();
}

void OpenRecorder::record(const Name& name, const parity_tensor& tensor, const TensorLayout& layout,
                          bool wanted) {
  const auto dtype = parse_enum<DType>(needed_text(tensor.dtype, "dtype"));
  const std::optional<int64_t> order = order_of(tensor);
  if (!wanted) {  // nobody reads the values, so that none are copied
    recorder_.tensor(name.phase, name.name, {dtype, shape_of(tensor), nullptr}, nullptr, layout, order);
    return;
  }
  HostValues values(tensor, dtype);
  recorder_.tensor(name.phase, name.name, values.view(), values.writable(), layout, order);
  if (recorder_.may_change(name.phase, name.name))
    values.write_back();
}

void OpenRecorder::offer(const parity_tensor& tensor) {
  check_flags(tensor, PARITY_TENSOR_ORDERED | PARITY_TENSOR_RECOMPUTED);
  const int64_t id = tensor.id != 0 ? tensor.id : intern(tensor.phase, tensor.name);
  const Name& name = name_of_id(id);
  const TensorLayout layout = layout_of(tensor);
  if ((tensor.flags & PARITY_TENSOR_RECOMPUTED) != 0)
    teach(name, tensor, layout);
  else
    record(name, tensor, layout, wants(id) != 0);
}

Measured OpenRecorder::measure(const parity_tensor& tensor, int32_t device, void* stream) {
  if (tensor.micro_batches != 0)
    throw UserError("cannot measure a piece of micro-batches on a device; offer its elements");
  if (tensor.strides != nullptr && !places_of(shape_of(tensor), tensor.strides).row_major)
    throw UserError("cannot measure a tensor with strides on a device; give a contiguous one");
  Measured measured{
      parse_enum<DType>(needed_text(tensor.dtype, "dtype")), shape_of(tensor), layout_of(tensor), {}};
  const TensorView view{measured.dtype, measured.shape, tensor.data};
  if (view.size() > 0 && tensor.data == nullptr)
    throw UserError("a tensor's data is NULL; give the address of its first element");
  trace::check_part(measured.shape, measured.layout, tensor.name != nullptr ? tensor.name : "a tensor");
  std::string why;
  if (!load_device_measure().tensor(view, measured.layout, device, stream, measured.found, why))
    throw UserError("cannot measure a tensor on device " + std::to_string(device) + " (" + why + ")",
                    ExitCode::missing);
  return measured;
}

void OpenRecorder::offer_measured(const parity_tensor& about, const Measured& measured) {
  check_flags(about, PARITY_TENSOR_ORDERED);
  if (about.micro_batches != 0 || about.layout != nullptr ||
      (about.dtype != nullptr && parse_enum<DType>(about.dtype) != measured.dtype) ||
      (about.shape != nullptr && shape_of(about) != measured.shape))
    throw UserError(
        "a tensor is offered with another dtype, shape or layout than was measured; leave them 0");
  const Name& name = name_of_id(about.id != 0 ? about.id : intern(about.phase, about.name));
  if (recorder_.wants_elements(name.phase, name.name))
    throw UserError("cannot record tensor " + name.name +
                    " by what was measured of it (the capture wants its elements); offer them");
  recorder_.measured(name.phase, name.name, measured.dtype, measured.shape, measured.found, measured.layout,
                     order_of(about));
}

}  // namespace parity::capi
