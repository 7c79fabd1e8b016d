// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/json/json.hpp"
#include "reference/comm/texts.hpp"
#include "reference/dcp/agree.hpp"
#include "reference/dcp/write_folder.hpp"
#include "reference/exact/dispatch_key.hpp"
#include "reference/exact/exact.hpp"
#include "reference/parallel/core/sharded_norm.hpp"
#include "reference/train/checkpoint/data_state.hpp"
#include "reference/train/checkpoint/residues.hpp"
#include "reference/train/checkpoint/saved_values.hpp"
#include "reference/train/checkpoint/whole_tensors.hpp"
#include "reference/train/step/trainer.hpp"
#include "reference/train/step/trainer_state.hpp"

// A checkpoint is one file that torch.load reads too, or a folder of torch.distributed.checkpoint: names of
// tensors. Positions are scalar int64 tensors; "parameter/<name>", "buffer/<name>", "optimizer/<state>" and
// "loss_scale/<state>" hold the rest, and "served/<name>" the weights of a generator that lags. All of them
// are CPU tensors, so that a run can resume on any device.

namespace parity::reference {
namespace {

constexpr const char* step_prefix = "optimizer/step";

torch::Tensor scalar(int64_t value) {
  return torch::tensor(value, torch::kInt64);
}

at::Generator default_generator() {
  return at::globalContext().defaultGenerator(at::kCPU);
}

/// Copies values of a checkpoint into the trainer's tensors. An exact twin gives them residues.
class CheckpointReader {
 public:
  CheckpointReader(const SavedValues& saved, const LoadedResidues& residues)
      : saved_(saved), residues_(residues) {}

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
  /// \param layout  of what this rank holds of the saved tensor
  void copy(const torch::Tensor& target, const TensorLayout& layout, const std::string& name,
            bool casts = false) const {
    const c10::impl::ExcludeDispatchKeyGuard without_residues(exact::dispatch_key);
    const SavedValues::Form form = saved_.form(name);
    const at::IntArrayRef shape = layout.global_shape.empty() ? target.sizes() : layout.global_shape;
    if (shape != at::IntArrayRef(form.shape) || (!casts && form.dtype != target.scalar_type()))
      throw UserError(saved_.path().string() + ": " + name +
                      " has another shape or dtype (it comes from another model); " +
                      "resume with the config that saved it");
    const torch::NoGradGuard no_grad;
    torch::Tensor(target).copy_(saved_.read(name, layout));
  }

  const SavedValues& saved_;
  const LoadedResidues& residues_;
};

/// Returns "optimizer/master" for "optimizer/master/norm.weight", "loss_scale" for "loss_scale/streak".
std::string kind_of_state(const std::string& name) {
  const bool is_optimizers = name.starts_with("optimizer/");
  return name.substr(0, name.find('/', is_optimizers ? std::string("optimizer/").size() : 0));
}

/// Refuses state of the optimizer that this config has no place for: without it, another optimizer goes on.
void require_all_read(const SavedValues& saved, const std::set<std::string>& kinds) {
  for (const std::string& name : saved.names()) {
    const std::string kind = kind_of_state(name);
    if ((kind.starts_with("optimizer/") || kind == "loss_scale") && !kinds.contains(kind))
      throw UserError(
          fmt::format("cannot resume from {} (it holds {}, which this config does not use); resume "
                      "with the settings that wrote it, or exclude optimizer from loading",
                      saved.path().string(), name));
  }
}

/// Returns the prefixes of what a part of a checkpoint consists of.
std::vector<std::string> names_in(CheckpointPart part) {
  switch (part) {
    case CheckpointPart::optimizer:
      return {"optimizer/", "loss_scale/"};
    case CheckpointPart::optimizer_step:
      return {step_prefix};
    case CheckpointPart::schedule:
      return {"schedule_position"};
    case CheckpointPart::data:
      return {"data_"};
    case CheckpointPart::router_biases:
      return {"buffer/"};
    case CheckpointPart::generator:
      return {"generator"};
  }
  return {};
}

/// Refuses a folder with entries that no rank read: they belong to another model or another trainer. All
/// ranks call it.
/// \param exclude  parts that are not read
void require_no_others(const SavedValues& saved, const std::vector<CheckpointPart>& exclude,
                       const Group& world) {
  std::set<std::string> used;
  for (const std::string& names : gather_texts(Json(saved.used()).dump(), world))
    used.merge(Json::parse(names).get<std::set<std::string>>());
  std::vector<std::string> left_out = {residue_prefix};  // a run that is no exact twin reads values alone
  for (const CheckpointPart part : exclude)
    for (std::string& prefix : names_in(part))
      left_out.push_back(std::move(prefix));
  for (const std::string& name : saved.names())
    if (!used.contains(name) &&
        std::none_of(left_out.begin(), left_out.end(),
                     [&](const std::string& prefix) { return name.starts_with(prefix); }))
      throw UserError(
          fmt::format("cannot resume from {} (it has {}, which this config does not use); resume "
                      "with the config that saved it",
                      saved.path().string(), name));
}

/// Receives what this rank holds of a tensor.
using PutTensor =
    std::function<void(const std::string& name, const torch::Tensor& value, const TensorLayout& layout)>;

/// Passes on the tensors of a stage's ranks: parameters, kept values and the optimizer's state, each with its
/// residues in an exact twin. The same on all ranks of the stage.
void put_tensors(const TrainerState& s, const PutTensor& put) {
  const auto put_with_residues = [&](const std::string& name, const torch::Tensor& value,
                                     const TensorLayout& layout) {
    put(name, value, layout);
    if (exact::is_active() && value.dim() > 0)  // a scalar counts
      put(residue_name(name), exact::residues_of(value), layout);
  };
  for (const Parameter& parameter : s.applied.parameters)
    put_with_residues("parameter/" + parameter.name, parameter.value.detach(), parameter.layout);
  for (const auto& [kind, values] : s.kept_values)
    for (size_t i = 0; i < values->size(); ++i)
      put_with_residues(kind + "/" + s.applied.parameters[i].name, (*values)[i],
                        s.applied.parameters[i].layout);
  for (const Optimizer::State& state : s.optimizer->state())
    put_with_residues("optimizer/" + state.name, state.value, state.layout);
}

/// Inserts what is the same on every rank: router biases, loss scale, positions and the generator.
void insert_common(Entries& entries, const TrainerState& s, const std::vector<Parameter>& biases) {
  for (const Parameter& bias : biases)
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
}

void save_as_file(const std::filesystem::path& file, const TrainerState& s,
                  const std::vector<Parameter>& biases) {
  Entries entries;
  put_tensors(s, [&](const std::string& name, const torch::Tensor& value, const TensorLayout& layout) {
    insert_whole(entries, name, value, layout, s.parallel);
  });
  if (!join_stages(entries, s.parallel))
    return;
  insert_common(entries, s, biases);
  const std::vector<char> bytes = torch::jit::pickle_save(entries);
  write_file(file, {bytes.data(), bytes.size()});
}

/// Each shard is written by the first of the ranks that hold it.
void save_as_folder(const std::filesystem::path& folder, const TrainerState& s,
                    const std::vector<Parameter>& biases) {
  std::vector<DcpItem> own;
  put_tensors(s, [&](const std::string& name, const torch::Tensor& value, const TensorLayout& layout) {
    if (is_sharded(layout) ? counts(layout) : s.parallel.stage->rank() == 0)
      own.push_back({name, value, layout});
  });
  if (s.parallel.world->rank() == 0) {
    Entries entries;
    insert_common(entries, s, biases);
    for (const auto& entry : entries)
      own.push_back({entry.key(), entry.value()});
  }
  write_dcp_folder(folder, own, *s.parallel.world);
}

}  // namespace

void Trainer::save(const std::filesystem::path& path, CheckpointFormat format) const {
  if (format == CheckpointFormat::dcp)
    save_as_folder(path, *state_, router_biases());
  else
    save_as_file(path, *state_, router_biases());
}

void Trainer::load(const std::filesystem::path& path, const std::vector<CheckpointPart>& exclude,
                   CheckpointFormat format) {
  const Group& world = *state_->parallel.world;
  const std::unique_ptr<SavedValues> saved = open_saved_values(path, format, world);
  if (format == CheckpointFormat::torch_save)  // every rank has the bytes that rank 0 read
    return load_values(*saved, exclude);
  on_all_ranks(world, [&] { load_values(*saved, exclude); });
  require_no_others(*saved, exclude, world);
}

void Trainer::load_values(const SavedValues& values, const std::vector<CheckpointPart>& exclude) {
  TrainerState& s = *state_;
  const auto excluded = [&exclude](CheckpointPart part) {
    return std::find(exclude.begin(), exclude.end(), part) != exclude.end();
  };
  s.updates_done = values.read("updates_done").item<int64_t>();
  const LoadedResidues residues(values, s.updates_done);
  const CheckpointReader saved(values, residues);
  for (const Parameter& parameter : s.applied.parameters)
    saved.numbers(parameter.value, parameter.layout, "parameter/" + parameter.name);
  if (s.optimizer->parameters_written())
    s.warnings.push_back("parameters of " + values.path().string() +
                         " were rounded to bfloat16 (optimizer.weights = " +
                         std::string(name_of(s.config.optimizer.weights)) + ")");
  for (const auto& [kind, kept] : s.kept_values)
    for (size_t i = 0; i < kept->size(); ++i)
      saved.numbers((*kept)[i], s.applied.parameters[i].layout, kind + "/" + s.applied.parameters[i].name);
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
    require_all_read(values, kinds);
  }
  if (!excluded(CheckpointPart::schedule))
    s.schedule_position = values.read("schedule_position").item<int64_t>();
  if (!excluded(CheckpointPart::data))
    load_data_state(values, s.config.data, s.loader);
  if (!excluded(CheckpointPart::generator))
    default_generator().set_state(values.read("generator"));
  s.parameters_changed();
}

}  // namespace parity::reference
