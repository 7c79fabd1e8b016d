// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/dcp/tensor_archive.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <utility>

#include <caffe2/serialize/inline_container.h>
#include <caffe2/serialize/read_adapter_interface.h>
#include <fmt/format.h>

#include <c10/util/Exception.h>
#include <torch/csrc/jit/serialization/import_read.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "reference/dcp/pickle/value.hpp"
#include "reference/dcp/zip_checksums.hpp"

namespace parity::reference {
namespace {

constexpr std::array<std::pair<std::string_view, torch::ScalarType>, 12> dtype_names = {
    {{"float32", torch::kFloat32},
     {"float64", torch::kFloat64},
     {"bfloat16", torch::kBFloat16},
     {"float16", torch::kFloat16},
     {"float8_e4m3fn", torch::kFloat8_e4m3fn},
     {"float8_e5m2", torch::kFloat8_e5m2},
     {"int64", torch::kInt64},
     {"int32", torch::kInt32},
     {"int16", torch::kInt16},
     {"int8", torch::kInt8},
     {"uint8", torch::kUInt8},
     {"bool", torch::kBool}}};

/// An archive in memory. A read beyond its end gives fewer bytes, which the reader reports.
class ArchiveBytes : public caffe2::serialize::ReadAdapterInterface {
 public:
  explicit ArchiveBytes(std::string_view bytes) : bytes_(bytes) {}

  size_t size() const override { return bytes_.size(); }
  size_t read(uint64_t position, void* buffer, size_t count, const char* /*what*/) const override {
    return position >= bytes_.size() ? 0 : bytes_.copy(static_cast<char*>(buffer), count, position);
  }

 private:
  std::string_view bytes_;
};

std::string read_range(const std::filesystem::path& file, int64_t position, int64_t length) {
  std::ifstream stream = open_file(file);
  std::string bytes(static_cast<size_t>(length), '\0');
  stream.seekg(position);
  stream.read(bytes.data(), length);
  bytes.resize(static_cast<size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  return bytes;
}

}  // namespace

std::string dtype_name(torch::ScalarType dtype) {
  const auto* found = std::find_if(dtype_names.begin(), dtype_names.end(),
                                   [&](const auto& row) { return row.second == dtype; });
  require(found != dtype_names.end(), "a dtype that checkpoints cannot hold");
  return std::string(found->first);
}

std::optional<torch::ScalarType> dtype_of_name(std::string_view name) {
  const auto* found = std::find_if(dtype_names.begin(), dtype_names.end(),
                                   [&](const auto& row) { return row.first == name; });
  return found == dtype_names.end() ? std::nullopt : std::optional(found->second);
}

std::vector<char> tensor_archive(const torch::Tensor& tensor) {
  // A view would be written with all of its storage.
  torch::Tensor own = tensor.detach().cpu().contiguous();
  if (own.storage().nbytes() != own.nbytes())
    own = own.clone();
  return torch::jit::pickle_save(own);
}

torch::Tensor read_tensor_archive(const std::filesystem::path& file, int64_t position, int64_t length) {
  const auto fail = [&](std::string_view cause) {
    return UserError(fmt::format("cannot read bytes {} to {} of {} ({}); save the checkpoint again", position,
                                 position + length, file.string(), cause));
  };
  try {
    const std::string bytes = read_range(file, position, length);
    check_zip_checksums(bytes);
    caffe2::serialize::PyTorchStreamReader reader(std::make_shared<ArchiveBytes>(bytes));
    const c10::IValue saved = torch::jit::readArchiveAndTensors("data", "", "", {}, {}, {}, reader);
    if (saved.isTensor())
      return saved.toTensor();
  } catch (const FormatError& error) {
    throw fail(fmt::format("they are damaged: {}", error.what()));
  } catch (const c10::Error&) {
    throw fail("they are damaged, or no archive of torch.save");
  }
  throw fail("they are no tensor");
}

}  // namespace parity::reference
