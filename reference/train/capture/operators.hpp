// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "harness/trace/write/recorder.hpp"
#include "reference/cuda/device.hpp"

namespace at {
struct ObserverContext;
class RecordFunction;
}  // namespace at

namespace parity::reference {

/// Offers the inputs and outputs of ATen operators by watching the dispatcher, so that model and trainer need
/// no code for it. In forward an operator belongs to the running module, in backward to the module whose
/// operator it differentiates. Elsewhere it belongs to the trainer's region ("data", "loss", "reduction",
/// "clip", "optimizer").
///
/// Inputs, numbers included, are offered before an operator runs, except those that it only writes. Results,
/// and what it wrote in place, are offered after it. Views and memory that was never written are left out.
class OperatorCapture {
 public:
  /// \param ranks  of the run. With several, each adds its number to the names of its tensors
  OperatorCapture(trace::Recorder& recorder, const Device& device, int64_t rank, int64_t ranks);
  ~OperatorCapture();
  OperatorCapture(const OperatorCapture&) = delete;
  OperatorCapture& operator=(const OperatorCapture&) = delete;

  /// Starts watching, if the step's capture wants operators.
  void begin_step();
  /// Stops watching. \throws the first error while watching, which the dispatcher could not pass on
  void end_step();
  /// Names the trainer's region, outside of the model's modules, and its phase.
  void begin_region(trace::Phase phase, std::string region);

  /// Offers what this rank puts into a collective, as "comm@NUMBER:WHAT:in.sent", and lets faults of
  /// ":wire.sent" change it afterwards. \return the number of the collective in this phase; -1 if the step
  /// records none
  int64_t sent(const std::string& what, const at::Tensor& bytes);
  /// Lets faults of "comm@NUMBER:WHAT:wire.received" change what a collective gave this rank, then offers it
  /// as
  /// ":out.received".
  /// \param number  of `sent`; -1: this rank put in nothing
  void received(const std::string& what, int64_t number, const at::Tensor& bytes);

  void entered(const std::string& part);
  void left(const std::string& part);

 private:
  struct Context;
  struct Place {
    trace::Phase phase = trace::Phase::forward;
    std::string module;
  };
  static std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& function);
  static void on_end(const at::RecordFunction& function, at::ObserverContext* context);
  std::unique_ptr<at::ObserverContext> start(const at::RecordFunction& function);
  void end(const at::RecordFunction& function, Context& context);
  std::unique_ptr<at::ObserverContext> start_node(const at::RecordFunction& function);
  Place place() const;
  void offer_one(const Context& context, const std::string& slot, const at::Tensor& given);
  Context collective(const std::string& what, int64_t number);
  void disturb(const Context& context, const std::string& slot, const at::Tensor& bytes);
  void stop_watching();

  trace::Recorder& recorder_;
  const Device& device_;
  std::optional<int64_t> rank_;
  std::optional<uint64_t> handle_;
  std::recursive_mutex mutex_;  ///< a device's backward pass runs in a thread of its own
  std::exception_ptr problem_;
  Place region_ = {trace::Phase::forward, "data"};
  std::vector<std::string> parts_;          ///< that are running, innermost last
  std::vector<std::string> nodes_;          ///< modules whose gradients are being computed
  std::map<int64_t, std::string> modules_;  ///< by the sequence number of a forward operator
  std::map<std::pair<trace::Phase, std::string>, int64_t> counts_;  ///< operators so far
};

}  // namespace parity::reference
