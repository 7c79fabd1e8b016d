// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/trace/read/trace.hpp"

namespace parity::laws {

/// A trace as laws read it: numbers in float64, settings by their common names, tensors by step and phase.
/// Tensors of operators are left out.
class RecordedRun {
 public:
  /// \param trace   outlives this object
  /// \param before  the run that this one continues, if that run has a trace of its own; outlives this object
  explicit RecordedRun(const trace::Trace& trace, const RecordedRun* before = nullptr);

  const trace::Trace& trace() const { return trace_; }
  const RecordedRun* before() const { return before_; }
  /// Returns the updates, ascending.
  const std::vector<int64_t>& steps() const { return trace_.steps(); }

  /// Returns the value of a channel at an update; nothing if the trace has no such channel or step.
  std::optional<double> channel(const std::string& name, int64_t step) const;
  bool has_channel(const std::string& name) const { return trace_.channels().contains(name); }

  /// Returns a setting of an update: the first of the names that is a channel, else the first that is a
  /// number of the config. A name with dots is a path into the config; the config may also have it as one
  /// key.
  std::optional<double> setting(int64_t step, std::initializer_list<std::string_view> names) const;
  /// Returns whether the config binds this run (config_text).
  bool follows_config() const { return follows_config_; }
  /// Returns what the calls that clip were given at an update, as the recorder of Python writes it into the
  /// recipe (FORMAT.md, "Recipe"). An empty object: nothing is known of such calls. null: they were others
  /// than before, and too many to be recorded.
  const Json& clip(int64_t step) const;
  /// Returns the norm to which an update clips its gradients, by the usual names of it; nothing if the run
  /// does not say. 0 and less: it does not clip.
  std::optional<double> max_norm(int64_t step) const;
  /// Returns a text or number of the config as text; "" without it. A config that parity-train's arms share
  /// with another program's arm does not bind that program. These functions then return nothing.
  std::string config_text(std::string_view name) const;
  std::optional<double> config_number(std::string_view name) const;

  /// Returns the logical tensors of a step and phase that have values or statistics.
  const std::vector<std::string>& names(int64_t step, trace::Phase phase) const;
  /// Returns whether an update has exactly the tensors of the first update that has the phase.
  bool has_names_of_first(int64_t step, trace::Phase phase) const {
    return as_first_.contains({step, phase});
  }
  /// Returns all names of a phase, over all steps.
  std::set<std::string> all_names(trace::Phase phase) const;

  bool has_values(const trace::TensorKey& key) const;
  /// Returns the elements of a tensor that `has_values`, widened to float64.
  std::vector<double> values(const trace::TensorKey& key) const;
  /// Returns the L2 norm of a tensor, accumulated in float64; NaN if an element is not finite, nothing if the
  /// trace has neither its statistics nor its values.
  std::optional<double> norm(const trace::TensorKey& key) const;
  /// Returns the number of elements of a tensor; 0 if it is unknown.
  int64_t size(const trace::TensorKey& key) const;
  /// Returns the number of dimensions of a tensor; 0 if it is unknown.
  size_t dimensions(const trace::TensorKey& key) const;
  /// Returns the unit roundoff of a tensor's dtype; that of float32 if it is unknown.
  double roundoff(const trace::TensorKey& key) const;

 private:
  const Json* find_in_config(std::string_view name) const;

  const trace::Trace& trace_;
  const RecordedRun* before_;
  bool follows_config_;
  std::map<int64_t, const Json*> clips_;  ///< first update -> what its calls were given
  std::map<std::pair<int64_t, trace::Phase>, std::vector<std::string>> names_;
  std::set<std::pair<int64_t, trace::Phase>> as_first_;  ///< has_names_of_first
};

}  // namespace parity::laws
