// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/runs/store.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/base/text/utc.hpp"
#include "harness/suite/plan/command_words.hpp"
#include "harness/suite/plan/identity/content_difference.hpp"
#include "harness/suite/plan/run_files.hpp"
#include "harness/suite/runs/read_files.hpp"
#include "harness/trace/hdf5/probe.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t largest_record = 16 << 20;

/// Returns run.json of a run with this identity; null if there is none.
Json record_of(const fs::path& folder, const PlannedRun& run) {
  std::error_code error;
  if (!fs::is_regular_file(folder / "run.json", error))
    return nullptr;
  Json record = read_json(read_file(folder / "run.json", largest_record));
  const bool usable = text_or(record, "schema") == "parity.run/1" && record.contains("identity") &&
                      json_text(record["identity"]) == run.identity && record.contains("capture") &&
                      record["capture"].is_object();
  return usable ? record : Json();
}

/// Returns whether the inputs of a run's identity name more than Python files.
bool lists_data(const Json& identity) {
  const Json inputs = identity.value("inputs", Json::object());
  return std::ranges::any_of(inputs.items(), [](const auto& item) { return !item.key().ends_with(".py"); });
}

bool has_status(const Json& record, std::string_view status) {
  return !record.is_null() && text_or(record, "status") == status;
}

/// Returns the capture of a run that ended well; nothing if the record is of another version.
std::optional<trace::Capture> capture_of(const Json& record) {
  if (!has_status(record, "complete"))
    return std::nullopt;
  try {
    return trace::Capture::from_json(record.at("capture"));
  } catch (const UserError&) {
    return std::nullopt;
  }
}

/// Returns the failure of a run whose device this machine cannot have; nothing if it may have one now.
std::optional<RunFailure> missing_device(const Json& record) {
  if (!has_status(record, "failed") || !record.contains("failure") ||
      record.at("identity").value(Json::json_pointer("/cuda/gpus"), Json()) != Json::object())
    return std::nullopt;
  try {
    RunFailure failure = RunFailure::from_json(record["failure"]);
    return failure.kind == results::FailureKind::no_device ? std::optional(failure) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;  // the record is damaged, so the run starts again
  }
}

/// Returns whether a stored run is unchanged since it ended.
///
/// If its files still have the states of that time, it is unchanged, and the files are not read: an unchanged
/// suite would spend most of its time on that. Otherwise their bytes must have the digest of that time, as
/// those of a restored backup have.
bool is_as_it_ended(const fs::path& folder, Json& record) {
  const std::string state = state_of_run(folder);
  const bool unchanged = !state.empty() && text_or(record, "trace_state") == state;
  try {
    if (!unchanged && (state.empty() || text_or(record, "content_digest") != digest_of_run(folder)))
      return false;
  } catch (const UserError&) {
    return false;  // it cannot be read
  }
  if (!unchanged) {
    record["trace_state"] = state;
    write_file(folder / "run.json", json_text(record, 1) + "\n");
  }
  for (const fs::path& file : files_of_run(folder))
    trace::count_as_read(trace::file_state(file));
  return true;
}

/// Adds the states and the digest of a run's files to its record, to detect later changes. Adds nothing if
/// the files change while they are read.
void describe_files(Json& record, const fs::path& folder) {
  wait_for_clock_tick(folder);
  const std::string state = state_of_run(folder);
  record["content_digest"] = digest_of_run(folder);
  record["trace_state"] = state_of_run(folder) == state ? state : "";
}

/// Returns the config of a run with the file of each trace that it names.
FlatConfig with_traces(const PlannedRun& run, const RunStore& store) {
  FlatConfig config = run.config;
  for (auto& [key, value] : config)
    for (const auto& [arm, id] : run.trace_of)
      if (value.is_string()) {
        auto text = value.get<std::string>();
        replace_all(text, "{trace:" + arm + "}", fs::absolute(store.trace(id)).string());
        value = text;
      }
  return config;
}

}  // namespace

Json RunStore::identity(const std::string& id) const {
  const fs::path file = folder(id) / "run.json";
  std::error_code error;
  if (!fs::is_regular_file(file, error))
    return nullptr;
  const Json record = read_json(read_file(file, largest_record));
  return record.is_object() ? record.value("identity", Json()) : Json();
}

std::optional<RunResult> RunStore::find(const PlannedRun& run) const {
  const fs::path place = folder(run.id);
  Json record = run.cacheable ? record_of(place, run) : Json();
  if (auto failure = missing_device(record)) {
    RunResult result;
    result.folder = place;
    result.cached = true;
    result.failure = std::move(failure);
    return result;
  }
  std::error_code error;
  const std::optional<trace::Capture> captured = capture_of(record);
  if (!captured || !captured->includes(run.capture) || !fs::exists(place / "trace.h5", error) ||
      (run.is_command() && !has_unchanged_files(record.value("sources", Json()))) ||
      record.contains("changed_input") ||  // while it waited or trained
      !is_as_it_ended(place, record))
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
  if (!fs::exists(place / "checkpoint.pt") && !fs::exists(place / "checkpoint.dcp" / ".metadata"))
    throw UserError(
        fmt::format("cannot resume after update {} ({} has no such checkpoint); run it again with --no-cache",
                    step, all.string()));
  return place;
}

void RunStore::add_stored_capture(PlannedRun& run) const {
  if (const auto captured = capture_of(record_of(folder(run.id), run)))
    run.capture.merge(*captured);
}

void RunStore::begin(PlannedRun& run) const {
  add_stored_capture(run);
  const fs::path place = folder(run.id);
  std::error_code error;
  fs::remove(place / "run.json", error);  // first: from here on the folder is unfinished
  fs::remove_all(place, error);
  fs::create_directories(place, error);
  if (error)
    throw UserError(fmt::format("cannot create {} ({}); choose another folder with --out", place.string(),
                                error.message()));
  write_file(place / "config.json", json_text(nest(with_traces(run, *this)), 1) + "\n");
  trace::Capture asked = run.capture;
  if (!run.span.teacher_run.empty())
    asked.teacher = fs::absolute(trace(run.span.teacher_run)).string();
  write_file(place / "capture.json", json_text(asked.to_json(), 1) + "\n");
}

void RunStore::adopt(const std::string& id, const fs::path& executed) const {
  const fs::path place = folder(id);
  std::error_code error;
  fs::remove(place / "run.json", error);  // first: from here on the old run does not count
  fs::remove_all(place, error);
  fs::create_directories(place.parent_path(), error);
  fs::rename(executed, place, error);
  if (error)
    throw UserError(fmt::format("cannot move {} to {} ({}); choose another folder with --out",
                                executed.string(), place.string(), error.message()));
}

void RunStore::finish(const PlannedRun& run, const RunResult& result) const {
  Json record = {{"schema", "parity.run/1"},
                 {"id", run.id},
                 {"status", result.complete() ? "complete" : "failed"},
                 {"identity", parse_json(run.identity)},
                 {"capture", run.capture.to_json()},
                 {"seconds", result.seconds},
                 {"ended", result.ended}};
  if (result.complete())
    describe_files(record, folder(run.id));
  if (result.complete() && run.is_command())
    record["sources"] =
        hash_read_files(folder(run.id), lists_data(record.at("identity")), expand_case_words(run));
  if (const std::string changed = run.cacheable ? changed_input(run) : ""; !changed.empty())
    record["changed_input"] = changed;
  if (result.failure)
    record["failure"] = result.failure->to_json();
  write_file(folder(run.id) / "run.json", json_text(record, 1) + "\n");
}

}  // namespace parity::suite
