// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/run_store.hpp"

#include "harness/base/error.hpp"
#include "harness/base/file.hpp"

namespace parity {
namespace fs = std::filesystem;
namespace {

/// run.json of a finished run with this identity; null where there is none.
Json record_of(const fs::path& folder, const PlannedRun& run) {
  std::error_code error;
  if (!fs::is_regular_file(folder / "run.json", error))
    return nullptr;
  Json record = Json::parse(read_file(folder / "run.json"), nullptr, false);
  const bool usable = record.is_object() && record.value("schema", "") == "parity.run/1" &&
                      record.value("status", "") == "complete" &&
                      record.value("identity", Json()) == run.identity && record.contains("capture") &&
                      record["capture"].is_object();
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

}  // namespace

std::optional<RunResult> RunStore::find(const PlannedRun& run) const {
  const fs::path place = folder(run.id);
  const Json record = record_of(place, run);
  std::error_code error;
  const std::optional<Capture> captured = capture_of(record);
  if (!run.cacheable || !captured || !fs::is_regular_file(place / "trace.h5", error) ||
      !captured->includes(run.capture))
    return std::nullopt;
  RunResult result;
  result.folder = place;
  result.cached = true;
  result.seconds = record.value("seconds", 0.0);
  return result;
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
  write_file(place / "config.json", nest(run.config).dump(1) + "\n");
  write_file(place / "capture.json", run.capture.to_json().dump(1) + "\n");
}

void RunStore::finish(const PlannedRun& run, const RunResult& result) const {
  Json record = {{"schema", "parity.run/1"},
                 {"id", run.id},
                 {"status", result.complete() ? "complete" : "failed"},
                 {"identity", run.identity},
                 {"capture", run.capture.to_json()},
                 {"seconds", result.seconds}};
  if (result.failure)
    record["failure"] = result.failure->to_json();
  write_file(folder(run.id) / "run.json", record.dump(1) + "\n");
}

}  // namespace parity
