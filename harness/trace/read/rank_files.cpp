// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/read/rank_files.hpp"

#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/measure/tensor/content_hash.hpp"
#include "harness/trace/format/file_names.hpp"
#include "harness/trace/read/read_trace_file.hpp"
#include "harness/trace/read/trace_content.hpp"

namespace parity::trace {
namespace fs = std::filesystem;
namespace {

constexpr size_t name_bytes = 256;
constexpr size_t digest_bytes = 32;

/// Returns XXH3-128 over the bytes and their number.
std::string file_digest(const fs::path& path, uint64_t size) {
  const MappedFile mapped(path, size);
  measure::ContentHash hash;
  hash.add(std::string_view(reinterpret_cast<const char*>(mapped.at(0)), size));
  return hash.hex();
}

uint64_t size_or_zero(const fs::path& path) {
  std::error_code error;
  const uint64_t size = fs::is_regular_file(path, error) ? fs::file_size(path, error) : 0;
  return error ? 0 : size;
}

void write_strings(hid_t group, const std::string& name, size_t bytes,
                   const std::vector<std::string>& values) {
  std::string text(values.size() * bytes, '\0');
  for (size_t i = 0; i < values.size(); ++i)
    values[i].copy(text.data() + i * bytes, bytes);
  hdf5::write_contiguous(group, name, hdf5::fixed_string_type(bytes), {static_cast<int64_t>(values.size())},
                         text.data());
}

[[noreturn]] void refuse_rank_file(const fs::path& trace, int64_t rank, const std::string& name,
                                   const std::string& why) {
  throw UserError(
      fmt::format("cannot read {} (file {} of rank {} {}); keep the files of one run together, or run again",
                  trace.string(), name, rank, why));
}

const RankFile& row_of(const TraceContent& first, int64_t rank) {
  return first.rank_files.at(static_cast<size_t>(rank) - 1);
}

/// Returns the path of a rank's file. \throws UserError if it is not the file of the index
fs::path indexed_file(const TraceContent& first, int64_t rank) {
  const RankFile& row = row_of(first, rank);
  const auto refuse_it = [&](const std::string& why) { refuse_rank_file(first.path, rank, row.name, why); };
  fs::path path = first.path.parent_path() / row.name;
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    refuse_it("is missing");
  if (const uint64_t size = size_or_zero(path); size != static_cast<uint64_t>(row.size))
    refuse_it(
        fmt::format("has {} bytes, expected {}: it was truncated or belongs to another run", size, row.size));
  if (file_digest(path, static_cast<uint64_t>(row.size)) != row.digest)
    refuse_it("does not match the digest in this trace: it was changed or belongs to another run");
  return path;
}

/// Returns a rank's file of a run that did not finish. \throws UserError if it is not the file of the index
fs::path left_file(const TraceContent& first, const fs::path& base, int64_t rank) {
  if (!first.rank_files.empty() && row_of(first, rank).size > 0)
    return indexed_file(first, rank);
  const fs::path whole = rank_path(base, rank);
  std::error_code error;
  return fs::exists(whole, error) ? whole : partial_path(whole);
}

}  // namespace

std::set<int64_t> ranks_beside(const fs::path& trace) {
  const std::string start = trace.stem().string() + ".rank";
  std::set<int64_t> ranks;
  std::error_code error;
  const fs::path folder = trace.has_parent_path() ? trace.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(start))
      continue;
    int64_t rank = 0;
    const char* const number = name.data() + start.size();
    if (std::from_chars(number, name.data() + name.size(), rank).ec != std::errc() || rank < 1)
      continue;
    const fs::path whole = rank_path(trace, rank).filename();
    if (name == whole || name == partial_path(whole))
      ranks.insert(rank);
  }
  return ranks;
}

RankFile index_row(const fs::path& file) {
  const uint64_t size = size_or_zero(file);
  return {file.filename().string(), static_cast<int64_t>(size), size == 0 ? "" : file_digest(file, size)};
}

std::vector<RankFile> finished_rank_files(const fs::path& path, int64_t ranks) {
  std::vector<RankFile> rows;
  for (int64_t rank = 1; rank < ranks; ++rank) {
    rows.push_back(index_row(rank_path(path, rank)));
    if (rows.back().size == 0)
      throw UserError(fmt::format(
          "cannot finish {} (rank {} wrote no file {} next to it); let all ranks write to a "
          "folder that rank 0 can read, give parity-train --collect-trace, or put the files together "
          "and run: parity join",
          path.string(), rank, rows.back().name));
  }
  return rows;
}

void write_rank_index(hid_t file, const std::vector<RankFile>& rows) {
  std::vector<std::string> names, digests;
  std::vector<int64_t> sizes;
  for (const RankFile& row : rows) {
    if (row.name.size() > name_bytes)
      throw UserError(
          fmt::format("cannot write the index of ranks (the name {} is longer than {} bytes); "
                      "give the trace a shorter name",
                      row.name, name_bytes));
    names.push_back(row.name);
    sizes.push_back(row.size);
    digests.push_back(row.digest);
  }
  if (hdf5::exists(file, "ranks"))
    hdf5::check(H5Ldelete(file, "ranks", H5P_DEFAULT), "cannot replace /ranks");
  const hdf5::Handle group = hdf5::create_group(file, "ranks");
  write_strings(group, "file", name_bytes, names);
  hdf5::write_contiguous(group, "size", H5T_STD_I64LE, {static_cast<int64_t>(sizes.size())}, sizes.data());
  write_strings(group, "digest", digest_bytes, digests);
}

std::vector<std::unique_ptr<TraceContent>> read_rank_files(const TraceContent& first) {
  const auto ranks = static_cast<int64_t>(first.rank_files.size());
  std::vector<fs::path> paths;
  for (int64_t rank = 1; rank <= ranks; ++rank)
    paths.push_back(indexed_file(first, rank));
  probe_trace_files(paths);
  std::vector<std::unique_ptr<TraceContent>> others;
  for (int64_t rank = 1; rank <= ranks; ++rank) {
    others.push_back(read_trace_file(paths[static_cast<size_t>(rank) - 1]));
    const TraceContent& other = *others.back();
    if (!other.complete || other.rank != rank || other.ranks != first.ranks || other.steps != first.steps)
      refuse_rank_file(first.path, rank, row_of(first, rank).name,
                       fmt::format("is of rank {} of {} and ends after step {}; rank 0 ends after step {}",
                                   other.rank, other.ranks, other.last_step, first.last_step));
  }
  return others;
}

std::vector<std::unique_ptr<TraceContent>> read_left_files(const TraceContent& first) {
  const fs::path base =
      first.path.extension() == ".partial" ? fs::path(first.path).replace_extension() : first.path;
  std::map<int64_t, fs::path> files;
  std::vector<fs::path> paths;
  for (const int64_t rank : ranks_beside(base))
    if (rank < first.ranks)
      paths.push_back(files[rank] = left_file(first, base, rank));
  probe_trace_files(paths);
  std::vector<std::unique_ptr<TraceContent>> others;
  for (const auto& [rank, file] : files) {
    try {
      auto other = read_trace_file(file);
      if (other->rank == rank && other->ranks == first.ranks && other->config == first.config)
        others.push_back(std::move(other));
    } catch (const UserError&) {
      // The rank died before it wrote anything, or is writing now.
      continue;
    }
  }
  return others;
}

}  // namespace parity::trace
