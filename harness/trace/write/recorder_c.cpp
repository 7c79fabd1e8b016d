// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/trace/write/parity_recorder.h"
#include "harness/trace/write/recorder.hpp"

struct parity_recorder {
  parity::Recorder recorder;
};

namespace {

using parity::Json;

thread_local std::string last_error;

/// Runs `work`; its exceptions become the exit status and the message.
template <class Work>
int guarded(const Work& work) noexcept {
  try {
    work();
    return 0;
  } catch (const parity::UserError& error) {
    last_error = error.what();
    return static_cast<int>(error.code());
  } catch (const std::exception& error) {
    last_error = error.what();
    return static_cast<int>(parity::ExitCode::internal);
  }
}

Json parse_object(const char* text, const char* what) {
  if (!text)
    return Json::object();
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object())
    throw parity::UserError(fmt::format("invalid {} (not a JSON object); give a JSON object, or NULL", what));
  return json;
}

parity::ChannelKind kind_of(int timing) {
  return timing ? parity::ChannelKind::timing : parity::ChannelKind::numeric;
}

}  // namespace

extern "C" {

parity_recorder* parity_recorder_open(const char* path, const char* config, const char* provenance,
                                      const char* capture, int64_t append_after) {
  parity_recorder* made = nullptr;
  guarded([&] {
    parity::Recorder::Options options{.path = path,
                                      .config = parse_object(config, "config"),
                                      .provenance = parse_object(provenance, "provenance"),
                                      .capture = parity::Capture::from_json(parse_object(capture, "capture")),
                                      .append_after = append_after};
    made = new parity_recorder{parity::Recorder(std::move(options))};
  });
  return made;
}

int parity_recorder_begin_step(parity_recorder* recorder, int64_t step) {
  return guarded([&] { recorder->recorder.begin_step(step); });
}

int parity_recorder_channel_f64(parity_recorder* recorder, const char* name, double value, int timing) {
  return guarded([&] { recorder->recorder.channel(name, value, kind_of(timing)); });
}

int parity_recorder_channel_i64(parity_recorder* recorder, const char* name, int64_t value, int timing) {
  return guarded([&] { recorder->recorder.channel(name, value, kind_of(timing)); });
}

int parity_recorder_wants(parity_recorder* recorder, const char* phase, const char* name) {
  bool wanted = false;
  const int status =
      guarded([&] { wanted = recorder->recorder.wants(parity::parse_enum<parity::Phase>(phase), name); });
  return status ? -1 : wanted;
}

int parity_recorder_tensor(parity_recorder* recorder, const char* phase, const char* name, const char* dtype,
                           int32_t rank, const int64_t* shape, const void* data) {
  return guarded([&] {
    const parity::TensorView view{parity::parse_enum<parity::DType>(dtype),
                                  parity::Shape(shape, shape + rank), data};
    recorder->recorder.tensor(parity::parse_enum<parity::Phase>(phase), name, view);
  });
}

int parity_recorder_end_step(parity_recorder* recorder) {
  return guarded([&] { recorder->recorder.end_step(); });
}

int parity_recorder_failure(parity_recorder* recorder, const char* what) {
  return guarded([&] { recorder->recorder.failure(parse_object(what, "failure")); });
}

int parity_recorder_finish(parity_recorder* recorder) {
  return guarded([&] { recorder->recorder.finish(); });
}

void parity_recorder_close(parity_recorder* recorder) {
  delete recorder;
}

const char* parity_recorder_last_error(void) {
  return last_error.c_str();
}

}  // extern "C"
