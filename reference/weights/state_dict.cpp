// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/weights/state_dict.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/checkpoints/files/open_checkpoint.hpp"
#include "harness/checkpoints/files/sharded_safetensors.hpp"
#include "harness/checkpoints/files/weight_files.hpp"
#include "harness/checkpoints/files/write_by_python.hpp"
#include "reference/exact/exact.hpp"
#include "reference/weights/complaints.hpp"
#include "reference/weights/convert.hpp"

namespace parity::reference {
namespace {
namespace fs = std::filesystem;

/// Of a file below an index. Source: huggingface_hub, MAX_SHARD_SIZE.
constexpr int64_t shard_bytes = 5'000'000'000;

constexpr std::array<std::pair<DType, torch::ScalarType>, 4> dtypes = {{{DType::float64, torch::kFloat64},
                                                                        {DType::float32, torch::kFloat32},
                                                                        {DType::bfloat16, torch::kBFloat16},
                                                                        {DType::float16, torch::kFloat16}}};

/// Returns null if weights cannot have this dtype.
const torch::ScalarType* torch_dtype(DType dtype) {
  const auto* found =
      std::find_if(dtypes.begin(), dtypes.end(), [&](const auto& row) { return row.first == dtype; });
  return found == dtypes.end() ? nullptr : &found->second;
}

DType file_dtype(torch::ScalarType dtype) {
  const auto* found =
      std::find_if(dtypes.begin(), dtypes.end(), [&](const auto& row) { return row.second == dtype; });
  require(found != dtypes.end(), "weights of a dtype that files cannot hold");
  return found->first;
}

torch::Tensor read(const TensorView& saved) {
  torch::Tensor result = torch::empty(saved.shape, *torch_dtype(saved.dtype));
  std::copy_n(static_cast<const std::byte*>(saved.data), saved.bytes(),
              static_cast<std::byte*>(result.mutable_data_ptr()));
  return exact::filled_with_constants(result);
}

std::vector<OwnWeight> shapes_of(const Parameters& weights) {
  std::vector<OwnWeight> result;
  for (const Parameter& weight : weights)
    result.push_back({weight.name, weight.value.sizes().vec()});
  return result;
}

/// A model's weights under the names of one kind of files.
class Weights {
 public:
  Weights(const Parameters& own, const std::string& model, const ModelDimensions& dimensions,
          WeightNames names)
      : table_(name_table(model, dimensions, shapes_of(own), names)), dimensions_(dimensions) {
    for (const Parameter& weight : own)
      own_[weight.name] = weight.value;
    for (const NameRule& rule : table_.rules)
      saved_.insert(saved_.end(), rule.saved.begin(), rule.saved.end());
  }

  const NameTable& table() const { return table_; }
  /// Every name in the file.
  const std::vector<std::string>& saved() const { return saved_; }
  const torch::Tensor& own(const std::string& name) const { return own_.at(name); }

  std::vector<torch::Tensor> own_of(const NameRule& rule) const {
    std::vector<torch::Tensor> tensors;
    for (const std::string& name : rule.own)
      tensors.push_back(own_.at(name).detach());
    return tensors;
  }
  /// Returns tensors with the shapes of a rule's saved tensors, without values.
  std::vector<torch::Tensor> expected(const NameRule& rule) const {
    std::vector<torch::Tensor> tensors = own_of(rule);
    for (torch::Tensor& tensor : tensors)
      tensor = torch::empty(tensor.sizes(), tensor.options().device(torch::kMeta));
    return to_saved(rule, tensors, dimensions_);
  }

  /// Call it only if complaints_of() found nothing.
  void take(const checkpoints::WeightFiles& files) const {
    for (const NameRule& rule : table_.rules) {
      std::vector<torch::Tensor> saved;
      for (const std::string& name : rule.saved)
        saved.push_back(read(files.tensors().at(name)));
      const std::vector<torch::Tensor> converted = to_own(rule, saved, dimensions_);
      for (size_t i = 0; i < rule.own.size(); ++i)
        torch::Tensor(own_.at(rule.own[i])).copy_(converted[i]);
    }
  }

 private:
  NameTable table_;
  const ModelDimensions& dimensions_;
  std::map<std::string, torch::Tensor> own_;
  std::vector<std::string> saved_;
};

void check_tensor(const std::string& name, const checkpoints::StoredTensor& found, const Shape& shape,
                  Complaints& complaints) {
  if (found.shape != shape)
    complaints.shapes.push_back(parity::quoted(name) + " is " + to_string(found.shape) + ", the model has " +
                                to_string(shape));
  if (torch_dtype(found.dtype) == nullptr)
    complaints.unusable.push_back(
        parity::quoted(name) + " is " +
        std::string(found.type.has_values ? name_of(found.dtype) : found.type.name) +
        ", not a float of 16 bits or more");
}

/// A file may have a tied model's single matrix twice, as torchtitan's state dicts do.
void check_tied_output(const std::string& output, const std::string& embedding,
                       const std::map<std::string, checkpoints::StoredTensor>& files,
                       Complaints& complaints) {
  if (!files.contains(output) || !files.contains(embedding))
    return;
  const TensorView &a = files.at(output), &b = files.at(embedding);
  if (a.dtype != b.dtype || a.shape != b.shape || !std::ranges::equal(a.raw(), b.raw()))
    complaints.unusable.push_back(parity::quoted(output) + " differs from " + parity::quoted(embedding) +
                                  ", and the model's embedding is its output projection");
}

Complaints complaints_of(const Weights& weights, const checkpoints::WeightFiles& files) {
  Complaints complaints;
  const NameTable& table = weights.table();
  std::set<std::string> known = {table.tied_output};
  for (const NameRule& rule : table.rules) {
    const std::vector<torch::Tensor> expected = weights.expected(rule);
    for (size_t i = 0; i < rule.saved.size(); ++i) {
      known.insert(rule.saved[i]);
      if (const auto found = files.tensors().find(rule.saved[i]); found == files.tensors().end())
        complaints.missing.push_back(rule.saved[i]);
      else
        check_tensor(found->first, found->second, expected[i].sizes().vec(), complaints);
    }
    if (!table.tied_output.empty() && rule.own.front() == "tok_embeddings.weight")
      check_tied_output(table.tied_output, rule.saved.front(), files.tensors(), complaints);
  }
  for (const auto& [name, tensor] : files.tensors())
    if (!known.contains(name) && !table.forgets(name))
      complaints.extra.push_back(name);
  return complaints;
}

/// Returns how many of the names the file has, and for how many of them in the shape that the model needs.
std::pair<size_t, size_t> known_in(const checkpoints::WeightFiles& files, const Weights& weights) {
  std::pair<size_t, size_t> known;
  for (const NameRule& rule : weights.table().rules) {
    const std::vector<torch::Tensor> expected = weights.expected(rule);
    for (size_t i = 0; i < rule.saved.size(); ++i) {
      const auto found = files.tensors().find(rule.saved[i]);
      if (found == files.tensors().end())
        continue;
      ++known.first;
      known.second += found->second.shape == expected[i].sizes().vec() ? 1 : 0;
    }
  }
  return known;
}

/// Refuses files of a kind that cannot hold every weight of the model. \param verb  "load" or "save"
void check_named(const NameTable& table, WeightNames names, const std::string& verb) {
  if (!table.unnamed.empty())
    throw UserError("cannot " + verb + " weights under the names of " + std::string(name_of(names)) +
                    " (they have none for " + table.unnamed.front() + "); use --weights-names torchtitan");
}

/// Returns the parameters and the routers' biases, which state dicts hold too.
Parameters all_of(const Decoder& model) {
  Parameters all = model.parameters();
  for (const Parameter& bias : model.router_biases())
    all.push_back(bias);
  return all;
}

/// Returns the kind with the most names in the file, then with the most shapes; own names if it has none of
/// any kind.
WeightNames names_in(const checkpoints::WeightFiles& files, const Decoder& model,
                     const std::string& model_name) {
  WeightNames best = WeightNames::torchtitan;
  std::pair<size_t, size_t> most;
  for (size_t i = 0; i < EnumNames<WeightNames>::names.size(); ++i) {
    const auto names = static_cast<WeightNames>(i);
    const Weights weights(all_of(model), model_name, model.dimensions(), names);
    if (const auto count = known_in(files, weights); count > most) {
      most = count;
      best = names;
    }
  }
  return best;
}

/// Opens the files of weights. Those of PyTorch, a folder of torch.distributed.checkpoint or files of
/// torch.save, are converted by a child process. \return never null
std::shared_ptr<const checkpoints::WeightFiles> open_weights(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path, error))
    return checkpoints::open_checkpoint(path.string()).memory;
  return std::make_shared<const checkpoints::WeightFiles>(path);  // names what is missing
}

}  // namespace

WeightNames load_weights(Decoder& model, const std::string& model_name, const std::filesystem::path& path) {
  const torch::NoGradGuard no_grad;
  const auto opened = open_weights(path);
  const checkpoints::WeightFiles& files = *opened;
  const WeightNames names = names_in(files, model, model_name);
  const Weights weights(all_of(model), model_name, model.dimensions(), names);
  check_named(weights.table(), names, "load");
  const Complaints complaints = complaints_of(weights, files);
  if (!complaints.empty())
    throw UserError(
        escape_for_terminal(path.string()) + " holds other weights than " + model_name +
        " has under the names of " + std::string(name_of(names)) + " (" + complaints.text(weights.saved()) +
        "), and nothing was loaded; name a file of this model, or set architecture.* to the file's sizes");
  weights.take(files);
  return names;
}

void check_saves_weights(WeightNames names, const std::string& model_name, const ModelDimensions& dimensions,
                         const std::vector<OwnWeight>& own) {
  check_named(name_table(model_name, dimensions, own, names), names, "save");
  if (dimensions.lora.rank > 0)
    throw UserError(
        "cannot save weights with adapters (such files have names for the model's own weights only); save a "
        "checkpoint");
}

void check_place_of_weights(const std::filesystem::path& path) {
  if (checkpoints::is_distributed_place(path))
    checkpoints::check_distributed_place(path);
  else
    const NewFile writable(path);
}

void save_weights(const std::filesystem::path& path, WeightNames names, const std::string& model_name,
                  const ModelDimensions& dimensions, const Parameters& weights) {
  const torch::NoGradGuard no_grad;
  check_saves_weights(names, model_name, dimensions, shapes_of(weights));
  const Weights all(weights, model_name, dimensions, names);
  std::vector<checkpoints::TensorToWrite> tensors;
  for (const NameRule& rule : all.table().rules) {
    const std::vector<torch::Tensor> expected = all.expected(rule);
    for (size_t i = 0; i < rule.saved.size(); ++i)
      tensors.push_back({rule.saved[i], file_dtype(expected[i].scalar_type()), expected[i].sizes().vec(),
                         [&all, &rule, &dimensions, i](const auto& take) {
                           const torch::Tensor saved =
                               to_saved(rule, all.own_of(rule), dimensions)[i].contiguous();
                           take(saved.const_data_ptr(), saved.nbytes());
                         }});
  }
  const std::map<std::string, std::string> metadata = {{"format", "pt"}};
  if (checkpoints::is_distributed_place(path))
    checkpoints::write_distributed(path, std::move(tensors));
  else if (path.string().ends_with(checkpoints::sharded_index_ending))
    checkpoints::write_sharded_safetensors(path, std::move(tensors), shard_bytes, metadata);
  else
    checkpoints::write_safetensors(path, std::move(tensors), metadata);
}

}  // namespace parity::reference
