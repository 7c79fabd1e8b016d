// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/api/include/parity/recorder.h"
#include "harness/api/recorder/boundary.hpp"
#include "harness/api/recorder/dlpack.hpp"
#include "harness/api/recorder/load_device_measure.hpp"
#include "harness/api/recorder/open_recorder.hpp"

struct parity_recorder {
  parity::capi::OpenRecorder open;
};

struct parity_measured {
  parity::capi::Measured measured;
};

namespace {

using namespace parity;        // NOLINT(google-build-using-namespace): the functions below are C
using namespace parity::capi;  // NOLINT(google-build-using-namespace)

OpenRecorder& open_of(parity_recorder* recorder) {
  return needed(recorder, "the recorder").open;
}

trace::Recorder& recorder_of(parity_recorder* recorder) {
  return open_of(recorder).recorder();
}

trace::ChannelKind kind_of(int32_t kind) {
  if (kind < PARITY_CHANNEL_NUMERIC || kind > PARITY_CHANNEL_PER_RANK)
    throw UserError("channel kind " + std::to_string(kind) + " is unknown; use a PARITY_CHANNEL_* value");
  return static_cast<trace::ChannelKind>(kind);
}
static_assert(static_cast<int>(trace::ChannelKind::timing) == PARITY_CHANNEL_TIMING);
static_assert(static_cast<int>(trace::ChannelKind::per_rank) == PARITY_CHANNEL_PER_RANK);

int32_t kind_of_timing(int timing) {
  return timing != 0 ? PARITY_CHANNEL_TIMING : PARITY_CHANNEL_NUMERIC;
}

/// Returns what `ask` returns, or -1 if it throws.
template <class Ask>
auto answer(const Ask& ask) noexcept -> decltype(ask()) {
  decltype(ask()) result = 0;
  return guarded([&] { result = ask(); }) != 0 ? -1 : result;
}

parity_recorder* opened(const parity_recorder_options& options) {
  parity_recorder* made = nullptr;
  guarded([&] { made = new parity_recorder{OpenRecorder(options_of(options))}; });
  return made;
}

HostValues values_of(const parity_tensor& tensor) {
  return {tensor, parse_enum<DType>(needed_text(tensor.dtype, "dtype"))};
}

}  // namespace

extern "C" {

int32_t parity_recorder_abi(void) {
  return PARITY_RECORDER_ABI;
}

const char* parity_recorder_version(void) {
  return PARITY_VERSION_STRING;
}

parity_recorder* parity_recorder_open_with(const parity_recorder_options* options) {
  parity_recorder_options known{};
  return guarded([&] { known = read_options(options); }) != 0 ? nullptr : opened(known);
}

parity_recorder* parity_recorder_open(const char* path, const char* config, const char* provenance,
                                      const char* capture, int64_t append_after) {
  return opened({.struct_size = sizeof(parity_recorder_options),
                 .path = path,
                 .rank = 0,
                 .ranks = 1,
                 .config = config,
                 .provenance = provenance,
                 .capture = capture,
                 .capture_file = nullptr,
                 .append_after = append_after});
}

int parity_recorder_failure(parity_recorder* recorder, const char* what) {
  return guarded([&] { recorder_of(recorder).failure(parse_object(what, "failure")); });
}

int parity_recorder_describe(parity_recorder* recorder, const char* recipe) {
  return guarded([&] { recorder_of(recorder).describe(parse_object(recipe, "recipe")); });
}

int parity_recorder_finish(parity_recorder* recorder) {
  return guarded([&] { recorder_of(recorder).finish(); });
}

void parity_recorder_close(parity_recorder* recorder) {
  delete recorder;
}

const char* parity_recorder_last_error(void) {
  return last_error().c_str();
}

int parity_recorder_begin_step(parity_recorder* recorder, int64_t step) {
  return guarded([&] { open_of(recorder).begin_step(step); });
}

int parity_recorder_end_step(parity_recorder* recorder) {
  return guarded([&] { open_of(recorder).end_step(); });
}

int parity_recorder_value_f64(parity_recorder* recorder, const char* name, double value, int32_t kind) {
  return guarded([&] { recorder_of(recorder).channel(needed_text(name, "name"), value, kind_of(kind)); });
}

int parity_recorder_value_i64(parity_recorder* recorder, const char* name, int64_t value, int32_t kind) {
  return guarded([&] { recorder_of(recorder).channel(needed_text(name, "name"), value, kind_of(kind)); });
}

int parity_recorder_channel_f64(parity_recorder* recorder, const char* name, double value, int timing) {
  return parity_recorder_value_f64(recorder, name, value, kind_of_timing(timing));
}

int parity_recorder_channel_i64(parity_recorder* recorder, const char* name, int64_t value, int timing) {
  return parity_recorder_value_i64(recorder, name, value, kind_of_timing(timing));
}

int64_t parity_recorder_intern(parity_recorder* recorder, const char* phase, const char* name) {
  return answer([&] { return open_of(recorder).intern(phase, name); });
}

int parity_recorder_wants_id(parity_recorder* recorder, int64_t id) {
  return answer([&] { return open_of(recorder).wants(id); });
}

int parity_recorder_wants_elements_id(parity_recorder* recorder, int64_t id) {
  return answer([&]() -> int { return open_of(recorder).wants_elements(id); });
}

int parity_recorder_wants(parity_recorder* recorder, const char* phase, const char* name) {
  return answer([&]() -> int {
    return recorder_of(recorder).wants(parse_enum<trace::Phase>(needed_text(phase, "phase")),
                                       needed_text(name, "name"));
  });
}

int parity_recorder_wants_operators(parity_recorder* recorder, const char* phase, const char* module) {
  return answer([&]() -> int {
    const trace::Recorder& asked = recorder_of(recorder);
    if (phase == nullptr && module == nullptr)
      return asked.wants_operators();
    return asked.wants_operators(parse_enum<trace::Phase>(needed_text(phase, "phase")),
                                 needed_text(module, "module"));
  });
}

int parity_recorder_offer(parity_recorder* recorder, const parity_tensor* tensor) {
  return guarded([&] { open_of(recorder).offer(read_tensor(tensor)); });
}

int parity_recorder_offer_dlpack(parity_recorder* recorder, const parity_tensor* about,
                                 const void* dl_tensor) {
  return guarded([&] {
    const auto& memory = needed(static_cast<const DlTensor*>(dl_tensor), "dl_tensor");
    open_of(recorder).offer(with_memory_of(read_tensor(about), memory));
  });
}

int parity_recorder_measures_cuda(int32_t device) {
  bool usable = false;
  const int status = guarded([&] {
    std::string why;
    usable = load_device_measure().usable(device, why);
    if (!usable)
      throw UserError(why, ExitCode::missing);
  });
  return status == 0 && usable ? 1 : 0;
}

parity_measured* parity_recorder_measure_cuda(parity_recorder* recorder, const parity_tensor* tensor,
                                              int32_t device, void* stream) {
  parity_measured* made = nullptr;
  guarded(
      [&] { made = new parity_measured{open_of(recorder).measure(read_tensor(tensor), device, stream)}; });
  return made;
}

int parity_recorder_offer_measured(parity_recorder* recorder, const parity_tensor* about,
                                   const parity_measured* measured) {
  return guarded(
      [&] { open_of(recorder).offer_measured(read_tensor(about), needed(measured, "measured").measured); });
}

void parity_recorder_free_measured(parity_measured* measured) {
  delete measured;
}

int parity_recorder_tensor(parity_recorder* recorder, const char* phase, const char* name, const char* dtype,
                           int32_t rank, const int64_t* shape, const void* data) {
  return guarded([&] {
    parity_tensor tensor{};
    tensor.phase = phase;
    tensor.name = name;
    tensor.dtype = dtype;
    tensor.rank = rank;
    tensor.shape = shape;
    tensor.data = data;
    open_of(recorder).offer(tensor);
  });
}

int parity_recorder_wants_replay(parity_recorder* recorder) {
  return answer([&]() -> int { return recorder_of(recorder).wants_replay(); });
}

int parity_recorder_replay_parameter(parity_recorder* recorder, const parity_tensor* tensor) {
  return guarded([&] {
    if (!recorder_of(recorder).wants_replay())
      return;
    const parity_tensor known = read_tensor(tensor);
    recorder_of(recorder).replay_parameter(needed_text(known.name, "name"), values_of(known).view());
  });
}

int parity_recorder_replay_batch(parity_recorder* recorder, int64_t step, int64_t micro_batch,
                                 const parity_tensor* tensor) {
  return guarded([&] {
    if (!recorder_of(recorder).wants_replay())
      return;
    const parity_tensor known = read_tensor(tensor);
    recorder_of(recorder).replay_batch(step, micro_batch, needed_text(known.name, "name"),
                                       values_of(known).view());
  });
}

}  // extern "C"
