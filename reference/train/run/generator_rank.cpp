// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/train/run/generator_rank.hpp"

#include <memory>

#include "harness/base/error.hpp"
#include "harness/trace/write/recorder.hpp"
#include "reference/exact/exact.hpp"
#include "reference/train/capture/comm_channels.hpp"
#include "reference/train/run/open_trace.hpp"
#include "reference/train/run/provenance.hpp"

namespace parity::reference {
namespace {

void record_served(trace::Recorder& recorder, const ServedUpdate& served,
                   const CommChannels::Values& traffic) {
  recorder.channel("served_version", served.version);
  recorder.channel("rollout_digest", served.rollout_digest);
  recorder.channel("served_tokens", served.tokens, trace::ChannelKind::per_rank);
  for (const auto& [name, value] : traffic)
    recorder.channel(name, value, trace::ChannelKind::per_rank);
}

}  // namespace

int64_t share_progress(int64_t own, const Group& all) {
  const torch::Tensor updates = torch::full({1}, own, torch::kInt64);
  all.broadcast(updates, 0);
  return updates.item<int64_t>();
}

void run_generator_rank(const Invocation& invocation, const RunConfig& config, const GroupPointer& all,
                        Heartbeat& heartbeat, const MakeServing& make_serving) {
  if (!make_serving)
    throw UserError("cannot use rl.generator.ranks (this program has no generator); run parity-train");
  const exact::ValuesAlone values;  // residues are the trainer's
  const Serving serve = make_serving(config, all);
  const int64_t done = share_progress(0, *all);
  const std::unique_ptr<trace::Recorder> recorder =
      open_trace(invocation, provenance_of(invocation.config, all->device()), {}, done, *all);
  const int64_t last = invocation.stop_after > 0 ? invocation.stop_after : config.steps;
  CommChannels comm;
  for (int64_t update = done + 1; update <= last; ++update) {
    heartbeat.beat(update, "generate");
    comm.begin(*all);
    if (recorder)
      recorder->begin_step(update);
    const ServedUpdate served = serve(update);
    if (!recorder)
      continue;
    record_served(*recorder, served, comm.end(*all));
    recorder->end_step();
  }
  if (recorder)
    finish_trace(*recorder, *all, invocation);
  heartbeat.beat(last, "done");
}

}  // namespace parity::reference
