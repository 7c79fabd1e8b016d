// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <string>

#include <caffe2/serialize/inline_container.h>
#include <fmt/format.h>

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/serialization/import_read.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "reference/exact/dispatch_key.hpp"
#include "reference/exact/exact.hpp"
#include "reference/parallel/core/layout.hpp"
#include "reference/train/checkpoint/checkpoint_bytes.hpp"
#include "reference/train/checkpoint/data_state.hpp"
#include "reference/train/checkpoint/residues.hpp"
#include "reference/train/checkpoint/whole_tensors.hpp"
#include "reference/train/step/trainer.hpp"
#include "reference/train/step/trainer_state.hpp"

// A checkpoint is one file that torch.load reads too: a dictionary from names to tensors. Positions are
// scalar int64 tensors; "parameter/<name>", "buffer/<name>", "optimizer/<state>" and "loss_scale/<state>"
// hold the rest, and "served/<name>" the weights of a generator that lags. All of them are CPU tensors, so
// that a run can resume on any device.

namespace parity::reference {
namespace {

constexpr const char* step_prefix = "optimizer/step";

torch::Tensor scalar(int64_t value) {
  return torch::tensor(value, torch::kInt64);
}

at::Generator default_generator() {
  return at::globalContext().defaultGenerator(at::kCPU);
}

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

const torch::Tensor& find(const Entries& entries, const std::string& name,
                          const std::filesystem::path& file) {
  const auto found = entries.find(name);
  if (found == entries.end())
    throw UserError(file.string() + " has no " + name + " (it comes from another model or optimizer); " +
                    "resume with the config that saved it");
  return found->value();
}

/// \param layout  of what this rank holds of the saved tensor
void copy_into(const torch::Tensor& target, const TensorLayout& layout, const torch::Tensor& saved,
               const std::string& name, const std::filesystem::path& file) {
  const at::IntArrayRef shape = layout.global_shape.empty() ? target.sizes() : layout.global_shape;
  if (saved.sizes() != shape || saved.scalar_type() != target.scalar_type())
    throw UserError(file.string() + ": " + name +
                    " has another shape or dtype (it comes from another model); " +
                    "resume with the config that saved it");
  const torch::NoGradGuard no_grad;
  torch::Tensor(target).copy_(part_of_logical(saved, layout));
}

/// Copies values of a checkpoint into the trainer's tensors. An exact twin gives them residues.
class CheckpointReader {
 public:
  CheckpointReader(const Entries& entries, const LoadedResidues& residues, const std::filesystem::path& file)
      : entries_(entries), residues_(residues), file_(file) {}

  /// Loads numbers that training computed.
  void numbers(const torch::Tensor& target, const TensorLayout& layout, const std::string& name) const {
    copy(target, layout, name);
    residues_.give(target, layout, name);
  }
  /// Loads a count, or what else is a constant of the program. A count is exact in every dtype, and devices
  /// use different dtypes for it.
  void constants(const torch::Tensor& target, const std::string& name, bool counts) const {
    copy(target, {}, name, counts);
    exact::filled_with_constants(target);
  }

 private:
  void copy(const torch::Tensor& target, const TensorLayout& layout, const std::string& name,
            bool casts = false) const {
    const c10::impl::ExcludeDispatchKeyGuard without_residues(exact::dispatch_key);
    const torch::Tensor& saved = find(entries_, name, file_);
    copy_into(target, layout, casts ? saved.to(target.scalar_type()) : saved, name, file_);
  }

  const Entries& entries_;
  const LoadedResidues& residues_;
  const std::filesystem::path& file_;
};

/// Returns "optimizer/master" for "optimizer/master/norm.weight", "loss_scale" for "loss_scale/streak".
std::string kind_of_state(const std::string& name) {
  const bool is_optimizers = name.starts_with("optimizer/");
  return name.substr(0, name.find('/', is_optimizers ? std::string("optimizer/").size() : 0));
}

/// Refuses state of the optimizer that this config has no place for: without it, another optimizer goes on.
void require_all_read(const Entries& entries, const std::set<std::string>& kinds,
                      const std::filesystem::path& file) {
  for (const auto& entry : entries) {
    const std::string& name = entry.key();
    const std::string kind = kind_of_state(name);
    if ((kind.starts_with("optimizer/") || kind == "loss_scale") && !kinds.contains(kind))
      throw UserError(
          fmt::format("cannot resume from {} (it holds {}, which this config does not use); resume "
                      "with the settings that wrote it, or exclude optimizer from loading",
                      file.string(), name));
  }
}

}  // namespace

void Trainer::save(const std::filesystem::path& file) const {
  const TrainerState& s = *state_;
  Entries entries;
  const auto insert = [&](const std::string& name, const torch::Tensor& value, const TensorLayout& layout) {
    insert_whole(entries, name, value, layout, s.parallel);
    if (value.dim() > 0)  // a scalar counts
      insert_residues(entries, name, value, layout, s.parallel);
  };
  for (const Parameter& parameter : s.applied.parameters)
    insert("parameter/" + parameter.name, parameter.value.detach(), parameter.layout);
  for (const auto& [kind, values] : s.kept_values)
    for (size_t i = 0; i < values->size(); ++i)
      insert(kind + "/" + s.applied.parameters[i].name, (*values)[i], s.applied.parameters[i].layout);
  for (const Optimizer::State& state : s.optimizer->state())
    insert("optimizer/" + state.name, state.value, state.layout);
  if (!join_stages(entries, s.parallel))
    return;
  for (const Parameter& bias : router_biases())
    entries.insert("buffer/" + bias.name, bias.value.cpu());
  if (s.scaler) {
    entries.insert("loss_scale/scale", s.scaler->scale_state().cpu());
    entries.insert("loss_scale/streak", s.scaler->streak_state().cpu());
  }
  entries.insert("updates_done", scalar(s.updates_done));
  entries.insert("schedule_position", scalar(s.schedule_position));
  insert_data_state(entries, s.config.data, s.loader);
  entries.insert("generator", default_generator().get_state());
  insert_draw(entries);
  const std::vector<char> bytes = torch::jit::pickle_save(entries);
  write_file(file, {bytes.data(), bytes.size()});
}

void Trainer::load(const std::filesystem::path& file, const std::vector<CheckpointPart>& exclude) {
  TrainerState& s = *state_;
  const auto excluded = [&exclude](CheckpointPart part) {
    return std::find(exclude.begin(), exclude.end(), part) != exclude.end();
  };
  const Entries entries = read_entries(file, *s.parallel.world);
  s.updates_done = find(entries, "updates_done", file).item<int64_t>();
  const LoadedResidues residues(entries, s.updates_done, file);
  const CheckpointReader saved(entries, residues, file);
  for (const Parameter& parameter : s.applied.parameters)
    saved.numbers(parameter.value, parameter.layout, "parameter/" + parameter.name);
  if (s.optimizer->parameters_written())
    s.warnings.push_back("parameters of " + file.string() +
                         " were rounded to bfloat16 (optimizer.weights = " +
                         std::string(name_of(s.config.optimizer.weights)) + ")");
  for (const auto& [kind, values] : s.kept_values)
    for (size_t i = 0; i < values->size(); ++i)
      saved.numbers((*values)[i], s.applied.parameters[i].layout, kind + "/" + s.applied.parameters[i].name);
  for (const Parameter& bias : router_biases())
    if (!excluded(CheckpointPart::router_biases))
      saved.constants(bias.value, "buffer/" + bias.name, /*counts=*/false);
  for (const Optimizer::State& state : s.optimizer->state()) {
    const std::string name = "optimizer/" + state.name;
    const bool is_step = name.starts_with(step_prefix);
    if (excluded(CheckpointPart::optimizer) || (is_step && excluded(CheckpointPart::optimizer_step)))
      continue;
    if (state.value.dim() == 0)
      saved.constants(state.value, name, is_step);
    else
      saved.numbers(state.value, state.layout, name);
  }
  if (s.scaler && !excluded(CheckpointPart::optimizer)) {
    saved.constants(s.scaler->scale_state(), "loss_scale/scale", /*counts=*/false);
    saved.constants(s.scaler->streak_state(), "loss_scale/streak", /*counts=*/false);
  }
  if (!excluded(CheckpointPart::optimizer)) {
    std::set<std::string> kinds;
    for (const Optimizer::State& state : s.optimizer->state())
      kinds.insert(kind_of_state("optimizer/" + state.name));
    if (s.scaler)
      kinds.insert("loss_scale");
    require_all_read(entries, kinds, file);
  }
  if (!excluded(CheckpointPart::schedule))
    s.schedule_position = find(entries, "schedule_position", file).item<int64_t>();
  if (!excluded(CheckpointPart::data))
    load_data_state(entries, s.config.data, file, s.loader);
  if (!excluded(CheckpointPart::generator))
    default_generator().set_state(find(entries, "generator", file));
  s.parameters_changed();
}

}  // namespace parity::reference
