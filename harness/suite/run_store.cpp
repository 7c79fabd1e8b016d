// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/run_store.hpp"

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/json_fields.hpp"
#include "harness/base/utc.hpp"
#include "harness/trace/probe.hpp"
#include "harness/trace/rank_files.hpp"
#include "harness/trace/trace.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t largest_record = 16 << 20;

/// run.json of a finished run with this identity; null where there is none.
Json record_of(const fs::path& folder, const PlannedRun& run) {
  std::error_code error;
  if (!fs::is_regular_file(folder / "run.json", error))
    return nullptr;
  Json record = read_json(read_file(folder / "run.json", largest_record));
  const bool usable = text_or(record, "schema") == "parity.run/1" &&
                      text_or(record, "status") == "complete" &&
                      record.value("identity", Json()) == Json::parse(run.identity) &&
                      record.contains("capture") && record["capture"].is_object();
  return usable ? record : Json();
}

/// What the recorded run captured; nothing if the record is of another version.
std::optional<Capture> capture_of(const Json& record) {
  if (record.is_null())
    return std::nullopt;
  try {
    return Capture::from_json(record.at("capture"));
  } catch (const UserError&) {
    return std::nullopt;
  }
}

/// The states of a trace's files: of rank 0's and of those that the other ranks left beside it.
std::vector<std::string> states_of(const fs::path& trace) {
  std::vector<std::string> states = {file_state(trace)};
  for (int64_t rank = 1; !states.back().empty(); ++rank)
    states.push_back(file_state(rank_path(trace, rank)));
  if (states.size() > 1)
    states.pop_back();
  return states;
}

std::string joined(const std::vector<std::string>& states) {
  std::string text;
  for (const std::string& state : states)
    text += (text.empty() ? "" : "| ") + state;
  return text;
}

/// A trace that was cut or damaged since is no answer. One that is as its run left it was read then, and is
/// taken as it is: reading it again, in a child process first, is what an unchanged suite spends its time on.
bool is_whole(const fs::path& trace, const Json& record) {
  if (const auto states = states_of(trace);
      !states.front().empty() && text_or(record, "trace_state") == joined(states)) {
    for (const std::string& state : states)
      count_as_read(state);
    return true;
  }
  try {
    return Trace::open(trace).complete();
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace

std::optional<RunResult> RunStore::find(const PlannedRun& run) const {
  const fs::path place = folder(run.id);
  const Json record = record_of(place, run);
  std::error_code error;
  const std::optional<Capture> captured = capture_of(record);
  if (!run.cacheable || !captured || !captured->includes(run.capture) ||
      !is_whole(place / "trace.h5", record))
    return std::nullopt;
  fs::last_write_time(place / "run.json", fs::file_time_type::clock::now(),
                      error);  // last use, for the cache
  RunResult result;
  result.folder = place;
  result.cached = true;
  result.seconds = number_or(record, "seconds", 0);
  result.ended = text_or(record, "ended", utc_of_file(place / "trace.h5"));
  return result;
}

fs::path RunStore::checkpoint(const std::string& id, int64_t step) const {
  const fs::path all = fs::absolute(folder(id)) / "checkpoint";
  const Json record = read_json(read_file(folder(id) / "run.json", largest_record));
  const int64_t last = record.at("identity").at("span").at("stop_after").get<int64_t>();
  const fs::path place = step == last ? all : all / ("step" + std::to_string(step));
  if (!fs::exists(place / "checkpoint.pt"))
    throw UserError("no checkpoint after update " + std::to_string(step) + " in " + all.string() +
                    " (somebody has deleted it); run it again with --no-cache");
  return place;
}

void RunStore::begin(PlannedRun& run) const {
  const fs::path place = folder(run.id);
  if (const auto captured = capture_of(record_of(place, run)))
    run.capture.merge(*captured);
  std::error_code error;
  fs::remove(place / "run.json", error);  // first: from here on the folder is unfinished
  fs::remove_all(place, error);
  fs::create_directories(place, error);
  if (error)
    throw UserError("cannot make " + place.string() + " (" + error.message() +
                    "); choose another folder with --out");
  write_file(place / "config.json", json_text(nest(run.config), 1) + "\n");
  Capture asked = run.capture;
  if (!run.span.teacher_run.empty())
    asked.teacher = fs::absolute(trace(run.span.teacher_run)).string();
  write_file(place / "capture.json", json_text(asked.to_json(), 1) + "\n");
}

void RunStore::finish(const PlannedRun& run, const RunResult& result) const {
  Json record = {{"schema", "parity.run/1"},
                 {"id", run.id},
                 {"status", result.complete() ? "complete" : "failed"},
                 {"identity", Json::parse(run.identity)},
                 {"capture", run.capture.to_json()},
                 {"seconds", result.seconds},
                 {"ended", result.ended}};
  if (result.complete())
    record["trace_state"] = joined(states_of(trace(run.id)));
  if (result.failure)
    record["failure"] = result.failure->to_json();
  write_file(folder(run.id) / "run.json", json_text(record, 1) + "\n");
}

}  // namespace parity
