// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/trace/hdf5/hdf5.hpp"
#include "harness/trace/hdf5/source_file.hpp"

namespace parity::trace {

/// An HDF5 file from an untrusted writer. Members are reached one hard link at a time. Datasets with external
/// storage, virtual layout, filters, or more data than the file can hold are rejected. Reading never changes
/// the disk (source_file.hpp).
class InputFile {
 public:
  /// Opens a file. \throws UserError if it is missing (exit 3), truncated, or not HDF5
  explicit InputFile(const std::filesystem::path& path, Links links = Links::followed);
  /// Wraps a file that this program's own writer has open and has flushed. \param path  for messages, and for
  /// the file's size
  InputFile(const std::filesystem::path& path, hid_t open);

  const std::filesystem::path& path() const { return path_; }
  uint64_t size() const { return size_; }
  /// Returns the descriptor of the open file, for mapping it; -1 for the file of this program's own writer.
  int descriptor() const { return source_ ? source_->descriptor() : -1; }
  /// Returns the whole file as bytes. \throws UserError if it cannot be read to its end
  std::string bytes() const;
  hid_t root() const { return file_; }

  bool has(hid_t parent, const std::string& name) const;
  hdf5::Handle group(hid_t parent, const std::string& name) const;
  /// Opens a dataset; rejects hostile storage. \throws UserError with the problem, its cause and a remedy
  hdf5::Handle dataset(hid_t parent, const std::string& name) const;
  std::vector<std::string> names(hid_t group) const;

  /// Returns the file offset of a contiguous dataset's first byte; nothing if its data is not contiguous.
  std::optional<uint64_t> offset(hid_t dataset) const;

  /// Throws UserError "cannot read PATH (WHY); ...".
  [[noreturn]] void refuse(const std::string& why) const;

 private:
  void check_link(hid_t parent, const std::string& name) const;
  void check_storage(hid_t dataset, const std::string& name) const;

  std::filesystem::path path_;
  uint64_t size_ = 0;
  uint64_t stored_ = 0;  ///< allocated bytes on disk
  std::shared_ptr<const SourceFile> source_;
  hdf5::Handle file_;
};

}  // namespace parity::trace
