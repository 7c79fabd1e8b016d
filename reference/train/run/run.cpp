// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/run/run.hpp"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/files/heartbeat.hpp"
#include "reference/comm/device_mesh.hpp"
#include "reference/comm/group.hpp"
#include "reference/config/read.hpp"
#include "reference/cuda/device.hpp"
#include "reference/cuda/load_plugin.hpp"
#include "reference/mkl/branch.hpp"
#include "reference/train/capture/capture.hpp"
#include "reference/train/checkpoint/places.hpp"
#include "reference/train/checks/equal_configs.hpp"
#include "reference/train/checks/non_finite.hpp"
#include "reference/train/numerics/determinism.hpp"
#include "reference/train/numerics/exact_twin.hpp"
#include "reference/train/run/halves.hpp"
#include "reference/train/run/open_trace.hpp"
#include "reference/train/run/provenance.hpp"
#include "reference/train/step/trainer.hpp"
#include "reference/weights/state_dict.hpp"

namespace parity::reference {
namespace {

/// Returns how long ranks wait for each other: PARITY_TIMEOUT [seconds], which a case's timeout_seconds sets.
std::chrono::milliseconds collective_timeout() {
  const char* text = std::getenv("PARITY_TIMEOUT");
  char* end = nullptr;
  const double seconds = text != nullptr ? std::strtod(text, &end) : 0;
  if (text == nullptr || end == text || *end != '\0' || !(seconds > 0) || seconds > 1e6)
    return std::chrono::minutes(5);
  return std::chrono::milliseconds(static_cast<int64_t>(1000 * seconds) + 1);
}

/// Refuses what an exact twin cannot follow: values of another run, which have no residues.
void check_exact(const Invocation& invocation, const trace::Capture& capture) {
  if (invocation.config.dtype == Precision::exact && (!capture.teacher.empty() || capture.replay))
    throw UserError("cannot teach or replay an exact twin (its trace has residues); use another dtype");
}

/// Saves a checkpoint in a folder, in the config's format. All ranks call it.
void save_in(const std::filesystem::path& folder, const Trainer& trainer) {
  const CheckpointPlace place = checkpoint_in(folder, trainer.config().checkpoint.format);
  trainer.save(place.path, place.format);
}

/// Loads the checkpoint that --resume or --start-from means, if either was given. All ranks call it.
void load_checkpoint(const Invocation& invocation, Trainer& trainer) {
  const CheckpointConfig& config = trainer.config().checkpoint;
  if (invocation.resume) {
    const CheckpointPlace place = checkpoint_in(invocation.checkpoint_dir, config.format);
    trainer.load(place.path, config.exclude_from_loading, place.format);
  }
  if (!invocation.start_from.empty()) {
    const CheckpointPlace place = find_checkpoint(invocation.start_from, config.format, trainer.world());
    trainer.load(place.path, {}, place.format);
  }
}

void log_step(std::ostream& log, const RunConfig& config, const StepResult& result) {
  log << fmt::format("step {:>{}}/{}  loss {:.6f}  grad_norm {:.6f}  lr {:.3e}  {:.0f} tokens/s", result.step,
                     std::to_string(config.steps).size(), config.steps, result.loss, result.grad_norm,
                     result.lr, static_cast<double>(result.tokens) / result.seconds);
  if (result.policy)
    log << fmt::format("  reward {:.3f}  right {:.0f} %", result.policy->reward_mean,
                       100 * result.policy->reward_exact);
  log << '\n';
  log.flush();
}

/// Returns whether this rank only generates. \throws UserError unless the job has the run's number of ranks
bool is_generator_rank(const RunConfig& config, const Group& all) {
  if (config.rl.generator.ranks == 0)
    return false;
  if (all.size() != config.ranks())
    throw UserError("the run has " + std::to_string(config.parallel.ranks()) + " ranks that train and " +
                    std::to_string(config.rl.generator.ranks) + " that generate, and there are " +
                    std::to_string(all.size()) + "; start as many as the config has");
  return all.rank() >= config.parallel.ranks();
}

/// Returns the ranks that train: all, or those before the ranks that only generate. The latter do not call
/// it.
std::shared_ptr<Group> trainer_ranks(const RunConfig& config, const std::shared_ptr<Group>& all) {
  if (config.rl.generator.ranks == 0)
    return all;
  std::vector<int64_t> ranks(static_cast<size_t>(config.parallel.ranks()));
  std::iota(ranks.begin(), ranks.end(), int64_t{0});
  return all->subgroup("trainer", ranks);
}

/// The trainer's own updates, from the data that it loads.
Updates own_updates(Trainer& trainer) {
  const UpdateCall call = trainer.config().train.update;
  return [&trainer, call] {
    return call == UpdateCall::step ? trainer.step() : update_by_halves(trainer, call);
  };
}

/// Returns the group of all ranks of the job. Its collectives update the heartbeat.
std::shared_ptr<Group> meet(const Invocation& invocation, const RunConfig& config, const Job& job,
                            const Device& device, Heartbeat& heartbeat) {
  heartbeat.beat(0, "meet", job.world_size > 1 ? "meeting of world" : "");
  std::shared_ptr<Group> world = Group::world(job, collective_timeout(), device);
  world->watch([&heartbeat](int64_t number, std::string_view what) { heartbeat.collective(number, what); });
  heartbeat.beat(0, "build");
  Json plan = to_numeric_json(config);
  plan["--stop-after"] = invocation.stop_after;
  plan["--resume"] = invocation.resume;
  plan["--checkpoint-every"] = invocation.checkpoint_every;
  plan["--start-from"] = !invocation.start_from.empty();
  plan["--trace"] = !invocation.trace.empty();
  plan["--collect-trace"] = invocation.collect_trace;
  plan["PARITY_EXACT_KEY"] = invocation.exact_key;
  plan["PARITY_EXACT_CONSTANTS"] = name_of(invocation.exact_constants);
  check_equal_configs(plan, *world);
  return world;
}

/// Trains updates up to `last`, recording each. \param log  null = no line per update
void train(Trainer& trainer, const Updates& update, int64_t last, const Invocation& invocation,
           StepCapture* capture, Heartbeat& heartbeat, std::ostream* log) {
  while (trainer.updates_done() < last) {
    const int64_t step = trainer.updates_done() + 1;
    heartbeat.beat(step, "train");
    if (capture != nullptr)
      capture->begin_step(step);
    const StepResult result = update();
    const bool saves = invocation.checkpoint_every > 0 && step % invocation.checkpoint_every == 0;
    if (capture != nullptr) {
      if (saves || step == invocation.stop_after)
        capture->saved();
      capture->end_step(result);
    }
    if (log != nullptr)
      log_step(*log, invocation.config, result);
    if (saves && step < last)
      save_in(invocation.checkpoint_dir / ("step" + std::to_string(step)), trainer);
  }
}

}  // namespace

void run(const Invocation& invocation, const Job& job, std::ostream& log, const Drivers& drivers) {
  RunConfig config = invocation.config;
  if (invocation.resume)
    config.parallel = config.resumed_parallel();
  Heartbeat heartbeat(invocation.heartbeat, job.rank);
  heartbeat.beat(0, "device");  // parity skips a run that ends in this phase; it does not fail
  const Device device = open_device(config.device, job.local_rank, plugin_file());
  heartbeat.beat(0, "start");
  make_deterministic(config.threads);
  require_mkl_branch();
  check_exact(invocation, read_capture(invocation.capture));
  if (config.dtype == Precision::exact)
    begin_exact_twin(config, invocation.exact_key, invocation.exact_constants);
  const bool is_first = job.rank == 0;
  if (is_first && !invocation.save_weights.empty())
    check_place_of_weights(invocation.save_weights);
  const std::shared_ptr<Group> all = meet(invocation, config, job, device, heartbeat);
  if (is_generator_rank(config, *all))
    return run_generator_rank(invocation, config, all, heartbeat, drivers.serving);
  Trainer trainer(config, trainer_ranks(config, all));
  if (!invocation.save_weights.empty())
    trainer.check_saves_weights(invocation.weights_names);
  Updates update = drivers.updates ? drivers.updates(trainer, all) : Updates();
  if (!update)
    update = own_updates(trainer);
  load_checkpoint(invocation, trainer);
  if (config.rl.generator.ranks > 0)
    share_progress(trainer.updates_done(), *all);
  if (is_first)
    for (const std::string& warning : trainer.warnings())
      log << "[W] " << warning << '\n';
  const std::unique_ptr<trace::Recorder> recorder =
      open_trace(invocation, provenance_of(invocation.config, trainer), read_capture(invocation.capture),
                 trainer.updates_done(), *all);
  std::unique_ptr<StepCapture> capture;
  if (recorder) {
    capture = std::make_unique<StepCapture>(trainer, *recorder);
    if (invocation.config.resumed_parallel() != invocation.config.parallel)
      capture->leave_out_collectives();
    if (invocation.resume)
      capture->loaded();
    else if (invocation.start_from.empty())
      capture->initial_state();
  }
  const int64_t last = invocation.stop_after > 0 ? invocation.stop_after : config.steps;
  try {
    train(trainer, update, last, invocation, capture.get(), heartbeat,
          is_first && !invocation.quiet ? &log : nullptr);
  } catch (const NonFinite& error) {
    if (recorder)
      recorder->failure(error.to_json());
    throw;
  }
  if (invocation.stop_after > 0)
    save_in(invocation.checkpoint_dir, trainer);
  if (!invocation.save_weights.empty())
    trainer.save_weights(invocation.save_weights, invocation.weights_names);
  if (recorder)
    finish_trace(*recorder, *all, invocation);
  // Other ranks may still read this rank's memory through the device's communicators: wait for them.
  if (!device.is_cpu())
    trainer.world().barrier();
  heartbeat.beat(trainer.updates_done(), "done");
}

}  // namespace parity::reference
