// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "harness/base/json/json.hpp"
#include "harness/trace/write/recorder.hpp"
#include "reference/comm/group.hpp"
#include "reference/config/command_line.hpp"

namespace parity::reference {

/// Reads the list of what a run records; an empty path gives an empty list.
/// \throws UserError if the file does not exist or is not valid
trace::Capture read_capture(const std::filesystem::path& path);

/// Opens this rank's file of the trace. \return null if the run leaves no trace
/// \param updates_done  that the file must hold already, in a run that resumes
/// \param all           ranks that write a file
std::unique_ptr<trace::Recorder> open_trace(const Invocation& invocation, Json provenance,
                                            trace::Capture capture, int64_t updates_done, const Group& all);

/// Completes the trace. Rank 0 finishes last, since its file lists the files of the others.
void finish_trace(trace::Recorder& recorder, const Group& all, const Invocation& invocation);

}  // namespace parity::reference
