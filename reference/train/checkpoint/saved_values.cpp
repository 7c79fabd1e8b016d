// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/checkpoint/saved_values.hpp"

#include <utility>

#include <caffe2/serialize/inline_container.h>
#include <fmt/format.h>

#include <c10/util/Exception.h>
#include <torch/csrc/jit/serialization/import_read.h>

#include "harness/base/error.hpp"
#include "reference/dcp/folder.hpp"
#include "reference/dcp/tensor_archive.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/train/checkpoint/checkpoint_bytes.hpp"

namespace parity::reference {
namespace {

Entries read_entries(const std::filesystem::path& file, const Group& world) {
  try {
    // Not torch::jit::pickle_load, which reads past the end of a truncated file.
    caffe2::serialize::PyTorchStreamReader reader(read_checkpoint_bytes(file, world));
    const c10::IValue saved = torch::jit::readArchiveAndTensors("data", "", "", {}, {}, {}, reader);
    return c10::impl::toTypedDict<std::string, torch::Tensor>(saved.toGenericDict());
  } catch (const c10::Error&) {
    throw UserError("cannot read " + file.string() +
                    " as a checkpoint of parity-train (it is another file, or cut short); " +
                    "run with --stop-after again");
  }
}

/// One file, of whole tensors.
class FileValues : public SavedValues {
 public:
  FileValues(const std::filesystem::path& file, const Group& world)
      : SavedValues(file), entries_(read_entries(file, world)) {}

  bool contains(const std::string& name) const override { return entries_.contains(name); }
  std::vector<std::string> names() const override {
    std::vector<std::string> result;
    for (const auto& entry : entries_)
      result.push_back(entry.key());
    return result;
  }

 private:
  Form form_of(const std::string& name) const override {
    const torch::Tensor& whole = entries_.at(name);
    return {whole.sizes().vec(), whole.scalar_type()};
  }
  torch::Tensor part_of(const std::string& name, const TensorLayout& layout) const override {
    return part_of_logical(entries_.at(name), layout);
  }

  Entries entries_;
};

/// A folder of shards.
class FolderValues : public SavedValues {
 public:
  FolderValues(const std::filesystem::path& folder, const Group& world)
      : SavedValues(folder), folder_(folder, world) {}

  bool contains(const std::string& name) const override { return folder_.find(name) != nullptr; }
  std::vector<std::string> names() const override {
    std::vector<std::string> result = folder_.metadata().others;
    for (const auto& [name, tensor] : folder_.metadata().tensors)
      result.push_back(name);
    return result;
  }

 private:
  Form form_of(const std::string& name) const override {
    const DcpTensor& tensor = *folder_.find(name);
    const auto dtype = dtype_of_name(tensor.dtype);
    if (!dtype)
      throw UserError(fmt::format("cannot read {} of {} (its dtype is {}); save it as another", name,
                                  path().string(), tensor.dtype));
    return {tensor.shape, *dtype};
  }
  torch::Tensor part_of(const std::string& name, const TensorLayout& layout) const override {
    return folder_.read(name, layout);
  }

  DcpFolder folder_;
};

}  // namespace

void SavedValues::require_there(const std::string& name) const {
  if (!contains(name))
    throw UserError(path_.string() + " has no " + name + " (it comes from another model or optimizer); " +
                    "resume with the config that saved it");
}

SavedValues::Form SavedValues::form(const std::string& name) const {
  require_there(name);
  return form_of(name);
}

torch::Tensor SavedValues::read(const std::string& name, const TensorLayout& layout) const {
  require_there(name);
  used_.insert(name);
  return part_of(name, layout);
}

std::unique_ptr<SavedValues> open_saved_values(const std::filesystem::path& path, CheckpointFormat format,
                                               const Group& world) {
  if (format == CheckpointFormat::dcp)
    return std::make_unique<FolderValues>(path, world);
  return std::make_unique<FileValues>(path, world);
}

}  // namespace parity::reference
