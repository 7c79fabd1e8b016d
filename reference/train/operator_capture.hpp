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

#include "harness/trace/write/recorder.hpp"
#include "reference/cuda/device.hpp"

namespace at {
class Tensor;
struct ObserverContext;
class RecordFunction;
}  // namespace at

namespace parity::reference {

/// Offers what ATen operators take and give, by watching the dispatcher: neither model nor trainer knows of
/// it. Operators belong to the part of the model that is running; in backward to the part whose operator they
/// differentiate; elsewhere to what the trainer is at ("data", "loss", "reduction", "clip", "optimizer").
///
/// Inputs, numbers too, are offered before an operator runs, but for those that it only writes; results, and
/// what it wrote in place, after it. Views and memory that nobody has written yet are left out.
class OperatorCapture {
 public:
  /// \param ranks  of the run; of several each names its tensors with its own number
  OperatorCapture(Recorder& recorder, const Device& device, int64_t rank, int64_t ranks);
  ~OperatorCapture();
  OperatorCapture(const OperatorCapture&) = delete;
  OperatorCapture& operator=(const OperatorCapture&) = delete;

  /// Watches from now on, if the step's capture wants operators.
  void begin_step();
  /// \throws what went wrong while watching: the dispatcher lets no error through
  void end_step();
  /// What the trainer is at, outside of the model's parts, and the phase that this is.
  void begin_region(Phase phase, std::string region);

  void entered(const std::string& part);
  void left(const std::string& part);

 private:
  struct Context;
  struct Place {
    Phase phase = Phase::forward;
    std::string module;
  };
  static std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& function);
  static void on_end(const at::RecordFunction& function, at::ObserverContext* context);
  std::unique_ptr<at::ObserverContext> start(const at::RecordFunction& function);
  void end(const at::RecordFunction& function, Context& context);
  std::unique_ptr<at::ObserverContext> start_node(const at::RecordFunction& function);
  Place place() const;
  void offer_one(const Context& context, const std::string& slot, const at::Tensor& given);
  void stop_watching();

  Recorder& recorder_;
  const Device& device_;
  std::optional<int64_t> rank_;
  std::optional<uint64_t> handle_;
  std::recursive_mutex mutex_;  ///< a device's backward pass runs in a thread of its own
  std::exception_ptr problem_;
  Place region_ = {Phase::forward, "data"};
  std::vector<std::string> parts_;                           ///< that are running, innermost last
  std::vector<std::string> nodes_;                           ///< modules whose gradients are being computed
  std::map<int64_t, std::string> modules_;                   ///< by the sequence number of a forward operator
  std::map<std::pair<Phase, std::string>, int64_t> counts_;  ///< operators so far
};

}  // namespace parity::reference
