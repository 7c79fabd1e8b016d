// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "harness/base/exit_code.hpp"
#include "harness/base/json/json.hpp"
#include "harness/laws/law.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::laws {

/// Version of the JSON that an audit gives.
constexpr const char* audit_schema = "parity.audit/1";

/// The answers of all laws to one run.
struct Audit {
  struct Row {
    const Law* law;
    Finding finding;
  };
  std::vector<Row> rows;
  std::string trace;       ///< path of the trace
  std::string before;      ///< path of the trace of the run that this one continues; "": none given
  bool ended = true;       ///< whether the run came to its end without a failure
  std::string not_finite;  ///< "loss is nan at step 6": a channel that laws read; "" if all are finite
  std::string undecided;   ///< a law that was named, or restart with a run before, and could not be asked
  std::vector<std::string> faults;  ///< defects that a capture injected into the run

  int64_t count(Answer answer) const;
  /// Returns differ if a law departs or a channel is not finite, missing if no law, or not
  /// one that was named, could be asked, crashed if
  /// the laws hold but the run did not end well, and otherwise agree.
  ExitCode exit_code() const;
  /// Returns the verdict as a sentence.
  std::string verdict() const;
  Json to_json() const;
};

/// Asks every law about a run.
/// \param names   of the laws to ask; empty: all
/// \param before  trace of the run that this one continues, for the law `restart`; null: none
/// \throws UserError if a name is unknown, or a tensor of the trace cannot be read
Audit audit(const trace::Trace& trace, const std::vector<std::string>& names = {},
            const trace::Trace* before = nullptr);

}  // namespace parity::laws
