// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/seal.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <string>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/trace/read/trace.hpp"

namespace parity::golden {
namespace {

using Seal = std::array<char, 16>;

/// Returns the digest of a file's bytes in the seal's form. \param bytes  with the seal's own bytes zero
Seal seal_of(const std::string& bytes) {
  const measure::Digest digest =
      measure::digest_of({DType::uint8, {static_cast<int64_t>(bytes.size())}, bytes.data()});
  Seal seal;
  std::memcpy(seal.data(), &digest.low, 8);
  std::memcpy(seal.data() + 8, &digest.high, 8);
  return seal;
}

}  // namespace

uint64_t add_seal(hid_t file) {
  const Seal empty = {};
  hdf5::write_contiguous(file, "seal", H5T_STD_U8LE, {static_cast<int64_t>(empty.size())}, empty.data());
  const hdf5::Handle dataset(H5Dopen2(file, "seal", H5P_DEFAULT), "cannot open the seal");
  const haddr_t offset = H5Dget_offset(dataset);
  require(offset != HADDR_UNDEF, "the seal has no place in the file");
  return offset;
}

void close_seal(const std::filesystem::path& path, uint64_t offset) {
  const Seal seal = seal_of(read_file(path));
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(offset));
  file.write(seal.data(), static_cast<std::streamsize>(seal.size()));
  file.flush();
  if (!file)
    throw UserError(fmt::format("cannot write {} (the disk may be full); free some space and record again",
                                path.string()));
}

std::optional<bool> seal_holds(const trace::InputFile& file) {
  if (!file.has(file.root(), "seal"))
    return std::nullopt;
  const auto offset = file.offset(file.dataset(file.root(), "seal"));
  std::string bytes = file.bytes();
  Seal seal;
  if (!offset || *offset > bytes.size() || bytes.size() - *offset < seal.size())
    return false;
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(*offset);
  std::copy_n(begin, seal.size(), seal.begin());
  std::fill_n(begin, seal.size(), '\0');
  return seal == seal_of(bytes);
}

}  // namespace parity::golden
