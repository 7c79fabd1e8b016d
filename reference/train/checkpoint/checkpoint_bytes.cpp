// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/checkpoint/checkpoint_bytes.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <caffe2/serialize/file_adapter.h>
#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/host_name.hpp"
#include "harness/base/json/json.hpp"
#include "reference/comm/texts.hpp"
#include "reference/dcp/pickle/value.hpp"
#include "reference/dcp/zip_checksums.hpp"

namespace parity::reference {
namespace fs = std::filesystem;
namespace {

constexpr int64_t piece_bytes = int64_t{64} << 20;

/// A file in memory. A read beyond its end gives fewer bytes, which the reader reports as a cut file.
class Bytes : public caffe2::serialize::ReadAdapterInterface {
 public:
  explicit Bytes(torch::Tensor bytes) : bytes_(std::move(bytes)) {}

  size_t size() const override { return static_cast<size_t>(bytes_.numel()); }
  size_t read(uint64_t position, void* buffer, size_t count, const char* /*what*/) const override {
    if (position >= size())
      return 0;
    const size_t there = std::min<size_t>(count, size() - position);
    std::memcpy(buffer, static_cast<const char*>(bytes_.const_data_ptr()) + position, there);
    return there;
  }

 private:
  torch::Tensor bytes_;  ///< [size] uint8
};

void require_file(const fs::path& file, const Group& world) {
  if (fs::exists(file))
    return;
  const std::string where =
      world.size() == 1 ? "" : fmt::format(" on {}, the machine of rank 0, which writes them", host_name());
  throw UserError(fmt::format("no checkpoint {} (nothing was saved there{}); run with --stop-after first",
                              file.string(), where),
                  ExitCode::missing);
}

/// Returns the bytes of a file whose records have the checksums that the file says.
std::string read_undamaged(const fs::path& file) {
  std::string bytes = read_file(file);
  try {
    check_zip_checksums(bytes);
  } catch (const FormatError& error) {
    throw UserError(
        fmt::format("cannot read {} as a checkpoint of parity-train ({}: it is another file, damaged, "
                    "or cut short); run with --stop-after again",
                    file.string(), error.what()));
  }
  return bytes;
}

/// Reads the file on rank 0. \param problem  {"message", "code"} if that fails
std::string read_on_first(const fs::path& file, const Group& world, Json& problem) {
  if (world.rank() != 0)
    return "";
  try {
    require_file(file, world);
    return read_undamaged(file);
  } catch (const UserError& error) {
    problem = {{"message", error.what()}, {"code", static_cast<int>(error.code())}};
  } catch (const fs::filesystem_error& error) {
    problem = {{"message", error_of(error).what()}, {"code", static_cast<int>(ExitCode::bad_input)}};
  }
  return "";
}

/// Copies the bytes of rank 0 to every rank. \return [size] uint8
torch::Tensor broadcast_bytes(const std::string& bytes, int64_t size, const Group& world) {
  const torch::Tensor all = torch::empty({size}, torch::kUInt8);
  std::ranges::copy(bytes, all.mutable_data_ptr<uint8_t>());
  for (int64_t done = 0; done < size; done += piece_bytes)
    world.broadcast(all.slice(0, done, std::min(size, done + piece_bytes)), 0);
  return all;
}

}  // namespace

std::shared_ptr<caffe2::serialize::ReadAdapterInterface> read_checkpoint_bytes(const fs::path& file,
                                                                               const Group& world) {
  if (world.size() == 1) {
    require_file(file, world);
    read_undamaged(file);
    return std::make_shared<caffe2::serialize::FileAdapter>(file.string());
  }
  Json head = Json::object();
  const std::string bytes = read_on_first(file, world, head);
  if (head.empty())
    head["size"] = bytes.size();
  head = Json::parse(broadcast_text(head.dump(), world, 0));
  if (head.contains("message"))
    throw UserError(head["message"].get<std::string>(), static_cast<ExitCode>(head["code"].get<int>()));
  return std::make_shared<Bytes>(broadcast_bytes(bytes, head["size"].get<int64_t>(), world));
}

}  // namespace parity::reference
