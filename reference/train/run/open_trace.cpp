// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/run/open_trace.hpp"

#include <utility>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "reference/config/read.hpp"
#include "reference/train/run/collect_trace.hpp"

namespace parity::reference {

trace::Capture read_capture(const std::filesystem::path& path) {
  if (path.empty())
    return {};
  if (!std::filesystem::exists(path))
    throw UserError("no capture file " + path.string() + " (it does not exist); check the path",
                    ExitCode::missing);
  try {
    return trace::Capture::from_json(Json::parse(read_file(path)));
  } catch (const Json::parse_error& error) {
    throw UserError(path.string() + ": not valid JSON (" + error.what() + "); fix it there");
  }
}

std::unique_ptr<trace::Recorder> open_trace(const Invocation& invocation, Json provenance,
                                            trace::Capture capture, int64_t updates_done, const Group& all) {
  if (invocation.trace.empty())
    return nullptr;
  if (invocation.collect_trace && invocation.resume)
    hand_out_trace(invocation.trace, all);
  trace::Recorder::Options options{invocation.trace, to_numeric_json(invocation.config),
                                   std::move(provenance), std::move(capture),
                                   invocation.resume ? updates_done : 0};
  options.rank = all.rank();
  options.ranks = all.size();
  options.faults_by_disturb = invocation.config.dtype == Precision::exact;
  return std::make_unique<trace::Recorder>(std::move(options));
}

void finish_trace(trace::Recorder& recorder, const Group& all, const Invocation& invocation) {
  if (all.rank() != 0)
    recorder.finish();
  all.barrier();
  if (invocation.collect_trace)
    collect_trace(invocation.trace, all);
  if (all.rank() == 0)
    recorder.finish();
}

}  // namespace parity::reference
