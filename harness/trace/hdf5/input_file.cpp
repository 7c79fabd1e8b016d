// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/hdf5/input_file.hpp"

#include <cstring>

#include <fmt/format.h>

#include "harness/base/error.hpp"

namespace parity::trace {
namespace fs = std::filesystem;
using hdf5::check;
using hdf5::Handle;

namespace {

/// Size of holes that are accepted [bytes], such as a small tensor of zeros in a file copied as a sparse one.
constexpr uint64_t least_holes = uint64_t{1} << 20;

}  // namespace

InputFile::InputFile(const fs::path& path, Links links)
    : path_(path), source_(std::make_shared<SourceFile>(path, links)) {
  size_ = source_->size();
  stored_ = source_->stored();
  if (!source_->is_hdf5())
    refuse("it is not an HDF5 file, or its beginning is damaged");
  file_ = hdf5::open_source(path, source_);
}

InputFile::InputFile(const fs::path& path, hid_t open)
    : path_(path), size_(fs::file_size(path)), stored_(size_), file_(open, "cannot use the open file") {
  hdf5::check(H5Iinc_ref(open), "cannot use the open file");
}

std::string InputFile::bytes() const {
  std::string bytes(size_, '\0');
  if (const int error = source_ ? source_->read(0, size_, bytes.data()) : EBADF)
    throw UserError(fmt::format("cannot read {} ({})", path_.string(), std::strerror(error)));
  return bytes;
}

void InputFile::refuse(const std::string& why) const {
  throw UserError(
      fmt::format("cannot read {} ({}); restore it, or write it again as harness/trace/FORMAT.md describes",
                  path_.string(), why));
}

void InputFile::check_link(hid_t parent, const std::string& name) const {
  H5L_info_t info;
  check(H5Lget_info(parent, name.c_str(), &info, H5P_DEFAULT), "cannot look at link " + name);
  if (info.type != H5L_TYPE_HARD)
    refuse(fmt::format("'{}' in {} is {} link; expected hard links only", name, hdf5::path_of(parent),
                       info.type == H5L_TYPE_SOFT ? "a soft" : "an external"));
}

bool InputFile::has(hid_t parent, const std::string& name) const {
  return hdf5::exists(parent, name);
}

Handle InputFile::group(hid_t parent, const std::string& name) const {
  if (!has(parent, name))
    refuse(fmt::format("it has no group {} in {}", name, hdf5::path_of(parent)));
  check_link(parent, name);
  return hdf5::open_group(parent, name);
}

Handle InputFile::dataset(hid_t parent, const std::string& name) const {
  if (!has(parent, name))
    refuse(fmt::format("it has no dataset {} in {}", name, hdf5::path_of(parent)));
  check_link(parent, name);
  Handle dataset(H5Dopen2(parent, name.c_str(), H5P_DEFAULT),
                 "cannot open dataset " + name + " of " + path_.string());
  check_storage(dataset, hdf5::path_of(dataset));
  return dataset;
}

std::vector<std::string> InputFile::names(hid_t group) const {
  return hdf5::member_names(group);
}

void InputFile::check_storage(hid_t dataset, const std::string& name) const {
  const std::string doing = "cannot look at dataset " + name;
  const Handle creation(H5Dget_create_plist(dataset), doing);
  if (H5Pget_layout(creation) == H5D_VIRTUAL)
    refuse(name + " is a virtual dataset; missing sources would read as zeros");
  if (H5Pget_external_count(creation) != 0)
    refuse(name + " stores its data in another file");
  if (H5Pget_nfilters(creation) != 0)
    refuse(name + " is compressed or filtered");
  uint64_t bytes = 0;
  {
    const Handle type(H5Dget_type(dataset), doing);
    bytes = H5Tget_size(type);
  }
  for (const int64_t dim : hdf5::shape_of(dataset))
    if (dim < 0 || __builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes))
      refuse(name + " declares more elements than a file can hold");
  const uint64_t stored = H5Dget_storage_size(dataset);
  if (bytes > size_ || stored > size_)
    refuse(fmt::format("{} declares {} bytes, but the file has {}", name, bytes, size_));
  if (bytes > stored_ + least_holes)
    refuse(fmt::format("{} declares {} bytes, but the sparse file stores {}", name, bytes, stored_));
  if (stored < bytes)
    refuse(
        fmt::format("{} has data for {} of its {} bytes; the rest was never written", name, stored, bytes));
  if (const auto first = offset(dataset); first && (*first > size_ || bytes > size_ - *first))
    refuse(name + " extends beyond the end of the file, which was truncated");
}

std::optional<uint64_t> InputFile::offset(hid_t dataset) const {
  const Handle creation(H5Dget_create_plist(dataset), "cannot look at dataset " + hdf5::path_of(dataset));
  if (H5Pget_layout(creation) != H5D_CONTIGUOUS)
    return std::nullopt;
  const haddr_t address = H5Dget_offset(dataset);
  if (address == HADDR_UNDEF)
    return std::nullopt;
  return address;
}

}  // namespace parity::trace
