// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/write/join_run.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/json/fields.hpp"
#include "harness/trace/format/file_names.hpp"
#include "harness/trace/format/schema.hpp"
#include "harness/trace/hdf5/hdf5.hpp"
#include "harness/trace/hdf5/journal.hpp"
#include "harness/trace/hdf5/source_file.hpp"
#include "harness/trace/read/rank_files.hpp"
#include "harness/trace/read/read_trace_file.hpp"
#include "harness/trace/write/trace_file.hpp"

namespace parity::trace {
namespace fs = std::filesystem;
namespace {

/// Kind of the failure that join_run gives a rank 0 that recorded none.
constexpr const char* unfinished = "unfinished";

/// A file may state any number of ranks.
constexpr int64_t most_ranks = int64_t{1} << 20;

[[noreturn]] void refuse_to_join(const fs::path& path, const std::string& why, const char* hint,
                                 ExitCode code = ExitCode::bad_input) {
  throw UserError(fmt::format("cannot join the ranks of {} ({}); {}", path.string(), why, hint), code);
}

/// Returns the final path of rank 0's trace: without ".partial".
fs::path final_path(const fs::path& path) {
  std::error_code none;
  if (fs::is_directory(path, none))
    return path / "trace.h5";
  return path.extension() == ".partial" ? fs::path(path).replace_extension() : path;
}

/// Returns the file that a rank left: the finished one, the partial one, or an empty path.
fs::path file_left(const fs::path& path) {
  std::error_code none;
  for (const fs::path& file : {path, partial_path(path)})
    if (fs::exists(file, none)) {
      if (is_being_written(file))
        refuse_to_join(file, "a running process is writing it", "wait for that process to end");
      return file;
    }
  return {};
}

std::string ending(const TraceContent& trace) {
  std::string text = fmt::format("ended after step {}", trace.last_step);
  if (trace.failure)
    text += ": " + text_or(*trace.failure, "reason", text_or(*trace.failure, "kind", "it failed"));
  return text;
}

void judge(LeftRank& left, const TraceContent& first, const TraceContent& other) {
  left.last_step = other.last_step;
  if (other.rank != left.rank || other.ranks != first.ranks || other.config != first.config) {
    left.state = RankState::unreadable;
    left.why = other.config != first.config ? "was recorded with another config"
                                            : fmt::format("is of rank {} of {}", other.rank, other.ranks);
  } else if (!other.complete || other.steps != first.steps) {
    left.state = RankState::partial;
    left.why = ending(other);
  } else {
    left.state = RankState::complete;
  }
}

LeftRank rank_left(const TraceContent& first, const fs::path& path, int64_t rank) {
  LeftRank left{.rank = rank, .state = RankState::missing, .file = {}, .last_step = 0, .why = {}};
  const fs::path file = file_left(rank_path(path, rank));
  left.file = (file.empty() ? rank_path(path, rank) : file).filename().string();
  if (file.empty()) {
    left.why = "left no file";
    return left;
  }
  try {
    judge(left, first, *read_trace_file(file));
  } catch (const UserError&) {
    left.state = RankState::unreadable;
    left.why = "left a file that cannot be read";
  }
  return left;
}

/// Returns why a run is partial; "" if nothing is missing.
std::string reason_of(const TraceContent& first, const std::vector<LeftRank>& others) {
  std::string text;
  const std::string kind = first.failure ? text_or(*first.failure, "kind") : unfinished;
  if (kind == unfinished)
    text = fmt::format("rank 0 did not finish its trace after step {}", first.last_step);
  else if (kind != failure_of_ranks)
    text = "rank 0 " + ending(first);
  for (const LeftRank& left : others)
    if (left.state != RankState::complete)
      text += (text.empty() ? "" : "; ") + left.text();
  return text;
}

/// Returns the failure of a partial trace. A failure that rank 0 recorded itself keeps its kind and its
/// reason.
Json failure_of(const TraceContent& first, const std::string& reason) {
  Json failure = first.failure.value_or(Json{{"kind", unfinished}});
  const std::string kind = text_or(failure, "kind");
  failure[kind == failure_of_ranks || kind == unfinished ? "reason" : "ranks"] = reason;
  return failure;
}

void write_joined(const fs::path& path, const TraceContent& first, const JoinedRun& run) {
  const fs::path partial = partial_path(path);
  std::vector<RankFile> rows;
  for (const LeftRank& left : run.others)
    rows.push_back(index_row(path.parent_path() / left.file));
  const auto guard = hdf5::lock();
  recover(partial);
  hdf5::Handle file = hdf5::open_file(partial, hdf5::Access::append);
  write_rank_index(file, rows);
  if (run.complete) {
    hdf5::remove_attribute(file, "failure");
    complete_file(file, partial, path);
  } else {
    hdf5::write_attribute(file, "failure", failure_of(first, run.reason).dump());
    hdf5::close_file(file, partial);
  }
}

}  // namespace

std::string LeftRank::text() const {
  return fmt::format("rank {} {} ({})", rank, why.empty() ? "is complete" : why, file);
}

JoinedRun join_run(const fs::path& given) {
  const fs::path path = final_path(given);
  JoinedRun run;
  run.trace = file_left(path);
  if (run.trace.empty())
    refuse_to_join(given, "rank 0 left no trace there", "give rank 0's trace, or the folder of its trace.h5",
                   ExitCode::missing);
  const std::unique_ptr<TraceContent> first = read_trace_file(run.trace);
  if (first->rank != 0)
    refuse_to_join(given, fmt::format("it is the trace of rank {}", first->rank), "give rank 0's trace");
  if (first->ranks < 2 || first->ranks > most_ranks)
    refuse_to_join(given, fmt::format("its run has {} rank{}", first->ranks, first->ranks == 1 ? "" : "s"),
                   "only a run of several ranks has files to join");
  run.last_step = first->last_step;
  run.complete = first->complete;
  if (first->complete)
    read_rank_files(*first);
  for (int64_t rank = 1; rank < first->ranks; ++rank)
    run.others.push_back(rank_left(*first, path, rank));
  if (first->complete)
    return run;
  run.reason = reason_of(*first, run.others);
  run.complete = run.reason.empty();
  write_joined(path, *first, run);
  if (run.complete)
    run.trace = path;
  return run;
}

}  // namespace parity::trace
