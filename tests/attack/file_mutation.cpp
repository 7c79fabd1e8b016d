// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/attack/file_mutation.hpp"

#include <cstdint>
#include <utility>

#include <sys/stat.h>

#include "harness/base/error.hpp"
#include "harness/trace/format/file_names.hpp"
#include "harness/trace/hdf5/hdf5.hpp"
#include "harness/trace/read/rank_files.hpp"
#include "tests/fuzz/hdf5_objects.hpp"

namespace parity::attack {
namespace fs = std::filesystem;
namespace {

using hdf5::Handle;

Handle open(const fs::path& path) {
  return {H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), "cannot open " + path.string()};
}

/// Changes the second to last byte of a dataset: a digit of a number, or a letter of a text.
void flip_byte(const fs::path& path, const std::string& name) {
  const auto lock = hdf5::lock();
  const Handle file = open(path);
  const Handle dataset(H5Dopen2(file, name.c_str(), H5P_DEFAULT), "cannot open " + name);
  fuzz::StoredBytes bytes = fuzz::read_dataset(dataset);
  size_t at = bytes.data.size() - 2;
  if (H5Tget_class(bytes.type) == H5T_STRING)
    at = 0;
  bytes.data.at(at) ^= 1;
  hdf5::check(H5Dwrite(dataset, bytes.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data.data()),
              "cannot write " + name);
}

void remove_object(const fs::path& path, const std::string& name) {
  const auto lock = hdf5::lock();
  const Handle file = open(path);
  hdf5::check(H5Ldelete(file, name.c_str(), H5P_DEFAULT), "cannot delete " + name);
}

void remove_attribute(const fs::path& path, const std::string& name) {
  const auto lock = hdf5::lock();
  const Handle file = open(path);
  hdf5::check(H5Adelete(file, name.c_str()), "cannot delete " + name);
}

template <class T>
void set_attribute(const fs::path& path, const std::string& name, const T& value) {
  const auto lock = hdf5::lock();
  const Handle file = open(path);
  hdf5::write_attribute(file, name, value);
}

void write_index(const fs::path& trace) {
  const auto lock = hdf5::lock();
  const Handle file = open(trace);
  if (hdf5::exists(file, "ranks"))
    hdf5::check(H5Ldelete(file, "ranks", H5P_DEFAULT), "cannot delete /ranks");
  trace::write_rank_index(file, trace::finished_rank_files(trace, 2));
}

/// Collects rows.
class FileTable {
 public:
  void add(int ranks, Spoils what, const std::string& name,
           const std::function<void(const fs::path&)>& apply) {
    rows_.push_back({(ranks == 1 ? "" : "two ranks: ") + name, ranks, what, apply});
  }
  /// Of the file of a rank.
  void flip(int ranks, int64_t rank, Spoils what, const std::string& dataset) {
    add(ranks, what, "a byte of " + dataset + " of rank " + std::to_string(rank),
        [=](const fs::path& folder) { flip_byte(trace::rank_path(folder / "trace.h5", rank), dataset); });
  }
  void remove(int ranks, int64_t rank, Spoils what, const std::string& object) {
    add(ranks, what, "no " + object + " in the file of rank " + std::to_string(rank),
        [=](const fs::path& folder) { remove_object(trace::rank_path(folder / "trace.h5", rank), object); });
  }
  std::vector<FileMutation> rows() && { return std::move(rows_); }

 private:
  std::vector<FileMutation> rows_;
};

/// Lists what is below a path of a trace. A tensor that lost its row or its values is still known by the
/// other.
Spoils spoils(const std::string& path) {
  if (path.starts_with("channels"))
    return Spoils::channels;
  if (path == "steps")
    return Spoils::all;
  if (path.starts_with("tensors/"))
    return path.ends_with("/0") || path.ends_with("/part") ? Spoils::values : Spoils::proofs;
  return path == "sketches/digest" || path == "part_sketches/digest" ? Spoils::tensors : Spoils::proofs;
}

void add_values(FileTable& table) {
  for (const int ranks : {1, 2})
    for (const char* judged :
         {"tensors/3/param/norm.weight/0", "tensors/1/param/half/0", "channels/loss", "channels/tokens",
          "steps", "sketches/digest", "sketches/shape", "sketches/step", "sketches/name"})
      table.flip(ranks, 0, spoils(judged), judged);
  for (const char* guarded : {"sketches/norm", "sketches/max_abs", "sketches/values", "sketches/order"})
    table.flip(1, 0, Spoils::proofs, guarded);
  for (const char* judged :
       {"tensors/3/grad/wq.weight/part", "part_sketches/digest", "tensors/3/param/norm.weight/0",
        "channels/pairs", "channels/loss", "sketches/digest", "steps"})
    table.flip(2, 1, spoils(judged), judged);
}

void add_missing_objects(FileTable& table) {
  for (const int ranks : {1, 2})
    for (const char* object : {"channels/loss", "channels", "steps", "tensors/3/param/norm.weight",
                               "sketches", "sketches/digest", "sketches/nan_count"})
      table.remove(ranks, 0, spoils(object), object);
  for (const char* object :
       {"channels/pairs", "tensors/3/grad/wq.weight", "part_sketches", "sketches", "steps"})
    table.remove(2, 1, spoils(object), object);
  table.add(1, Spoils::all, "no status",
            [](const fs::path& folder) { remove_attribute(folder / "trace.h5", "status"); });
  table.add(1, Spoils::all, "status partial", [](const fs::path& folder) {
    set_attribute(folder / "trace.h5", "status", std::string_view("partial"));
  });
  table.add(1, Spoils::all, "a last step before the last",
            [](const fs::path& folder) { set_attribute(folder / "trace.h5", "last_step", int64_t{2}); });
  table.add(1, Spoils::all, "a failure", [](const fs::path& folder) {
    set_attribute(folder / "trace.h5", "failure",
                  std::string_view("{\"kind\": \"non_finite\", \"step\": 3}"));
  });
}

void add_ranks(FileTable& table) {
  for (const int64_t ranks : {int64_t{2}, int64_t{1} << 62, int64_t{-1}, int64_t{0}})
    table.add(1, Spoils::all, std::to_string(ranks) + " ranks of which one is there",
              [ranks](const fs::path& folder) { set_attribute(folder / "trace.h5", "ranks", ranks); });
  table.add(1, Spoils::all, "another rank's number",
            [](const fs::path& folder) { set_attribute(folder / "trace.h5", "rank", int64_t{1}); });
  table.add(2, Spoils::all, "no file of rank 1",
            [](const fs::path& folder) { fs::remove(folder / "trace.rank1.h5"); });
  table.add(2, Spoils::all, "the file of rank 1 cut", [](const fs::path& folder) {
    fs::resize_file(folder / "trace.rank1.h5", fs::file_size(folder / "trace.rank1.h5") / 2);
  });
  table.add(2, Spoils::all, "rank 0's file in place of rank 1's", [](const fs::path& folder) {
    fs::copy_file(folder / "trace.h5", folder / "trace.rank1.h5", fs::copy_options::overwrite_existing);
  });
  table.add(2, Spoils::all, "the file of rank 1 named rank 0's",
            [](const fs::path& folder) { set_attribute(folder / "trace.rank1.h5", "rank", int64_t{0}); });
  table.add(2, Spoils::ranks, "another loss of rank 1, and its index written anew",
            [](const fs::path& folder) {
              flip_byte(folder / "trace.rank1.h5", "channels/loss");
              write_index(folder / "trace.h5");
            });
  table.add(2, Spoils::all, "one rank by its own word",
            [](const fs::path& folder) { set_attribute(folder / "trace.h5", "ranks", int64_t{1}); });
}

void add_files(FileTable& table) {
  const auto trace = [](const fs::path& folder) { return folder / "trace.h5"; };
  table.add(1, Spoils::all, "half the file", [=](const fs::path& folder) {
    fs::resize_file(trace(folder), fs::file_size(trace(folder)) / 2);
  });
  table.add(1, Spoils::all, "the file but its last byte", [=](const fs::path& folder) {
    fs::resize_file(trace(folder), fs::file_size(trace(folder)) - 1);
  });
  table.add(1, Spoils::all, "an empty file",
            [=](const fs::path& folder) { fs::resize_file(trace(folder), 0); });
  table.add(1, Spoils::all, "no file", [=](const fs::path& folder) { fs::remove(trace(folder)); });
  table.add(1, Spoils::all, "a folder", [=](const fs::path& folder) {
    fs::remove(trace(folder));
    fs::create_directory(trace(folder));
  });
  table.add(1, Spoils::all, "a pipe", [=](const fs::path& folder) {
    fs::remove(trace(folder));
    require(::mkfifo(trace(folder).c_str(), 0600) == 0, "cannot make a pipe");
  });
  table.add(1, Spoils::all, "a link to a device", [=](const fs::path& folder) {
    fs::remove(trace(folder));
    fs::create_symlink("/dev/zero", trace(folder));
  });
  table.add(1, Spoils::all, "a link to itself", [=](const fs::path& folder) {
    fs::remove(trace(folder));
    fs::create_symlink(trace(folder), trace(folder));
  });
}

}  // namespace

const std::vector<FileMutation>& file_mutations() {
  static const std::vector<FileMutation> rows = [] {
    FileTable table;
    add_values(table);
    add_missing_objects(table);
    add_ranks(table);
    add_files(table);
    return std::move(table).rows();
  }();
  return rows;
}

void strip_digests(const fs::path& folder, int ranks) {
  for (int64_t rank = 0; rank < ranks; ++rank) {
    const fs::path file = trace::rank_path(folder / "trace.h5", rank);
    set_attribute(file, "schema", std::string_view(ranks == 1 ? "parity.trace/1.0" : "parity.trace/1.1"));
    remove_attribute(file, "digest");
  }
  if (ranks > 1)
    write_index(folder / "trace.h5");
}

}  // namespace parity::attack
