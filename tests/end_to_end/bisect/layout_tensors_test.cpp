// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// The tensors that the ranks of every layout record in one update, joined, against one process.
#include <set>

#include <gmock/gmock.h>

#include "harness/bisect/traces/tensor_path.hpp"
#include "harness/compare/tensors/gap.hpp"
#include "tests/end_to_end/faults/planted_fault.hpp"

namespace parity {
namespace {

// The difference that another order of sums may cause in float64: 2^20 units of roundoff (README.md of
// harness/compare).
constexpr double collapsed = 0x1p-33;

class LayoutTensorsTest : public PlantedFaultTest, public testing::WithParamInterface<FaultLayout> {
 protected:
  static std::string whole() { return whole_layout(GetParam().model) + std::string("~all"); }
  static std::string laid_out() { return GetParam().name + std::string("~all"); }

  /// One update with every tensor kept, by a layout and by one process with the same model. In float64,
  /// because Adam's first step makes a whole step from the sign of a gradient, however small.
  suite::ArmRuns both() {
    trace::Capture all;
    all.tensors.push_back({{1}, {}, {}});
    std::vector<suite::ExtraArm> extra;
    for (const std::string& name : std::set<std::string>{whole_layout(GetParam().model), GetParam().name}) {
      suite::ExtraArm arm;
      arm.of = name;
      arm.suffix = "all";
      arm.config["dtype"] = "float64";
      arm.span.stop_after = 1;
      arm.capture = all;
      extra.push_back(std::move(arm));
    }
    suite::Case source = with_extra_arms(all_layouts(), extra);
    source.checks.clear();
    source.check_places.clear();
    std::erase_if(source.arms, [](const suite::Arm& arm) { return arm.stands_for.empty(); });
    source.reference = whole();
    return run_arms(source, options(), progress_);
  }

  static bool has(std::string_view key) {
    return std::string_view(GetParam().keys).find(key) != std::string_view::npos;
  }

  /// With context parallelism, attention has keys and values in its own order.
  static bool is_gathered(const trace::TensorKey& key) {
    return has("parallel.cp") && (key.name.ends_with("attention.k") || key.name.ends_with("attention.v"));
  }

  static void expect_equal(const trace::Trace& one, const trace::TensorKey& key, const trace::Trace& other,
                           const trace::TensorKey& theirs) {
    const std::string what = std::string(name_of(theirs.phase)) + ' ' + theirs.name;
    if (!other.has_tensor(theirs)) {
      EXPECT_TRUE(is_gathered(key)) << what << " is missing";
      return;
    }
    const compare::TensorGap gap =
        measure_tensor(compare::tensor_source(one, key), compare::tensor_source(other, theirs));
    EXPECT_LE(gap.relative_l2, collapsed) << what << ' ' << gap.mismatch;
  }
};

/// Results that are recorded as terms of a sum over tp. No sketch is the sum of these.
std::set<std::string> terms_of(const trace::Trace& trace) {
  std::set<std::string> terms;
  for (const trace::TensorKey& key : trace.tensors())
    if (key.phase != trace::Phase::grad_local && trace.find_sketch(key) == nullptr)
      terms.insert(std::string(name_of(key.phase)) + ' ' + key.name);
  return terms;
}

/// What the model reads, joined over micro-batches, rows and sequences, is the update's input.
TEST_P(LayoutTensorsTest, CutInputs_JoinToTheUpdates) {
  const suite::ArmRuns runs = both();
  const trace::Trace& trace = *runs.evidence.trace(laid_out());
  for (const char* name : {"tokens", "labels", "first_keys"}) {
    const trace::TensorKey update{1, trace::Phase::input, name},
        read{1, trace::Phase::input, std::string("read/") + name};
    ASSERT_TRUE(trace.has_tensor(read)) << name;
    EXPECT_EQ(trace.find_sketch(read)->digest, trace.find_sketch(update)->digest) << name;
  }
  const trace::TensorKey positions{1, trace::Phase::input, "read/positions"};
  EXPECT_EQ(trace.has_tensor(positions), has("parallel.cp")) << "whole sequences are counted by the model";
  for (const bisect::TensorStation& station :
       bisect::compare_path(*runs.evidence.trace(whole()), trace, 1).stations)
    EXPECT_FALSE(station.changed) << station.key.name;
}

/// Shards are put where they belong, replicas count once, and terms of a sum are added: results of shared
/// experts, gradients of a router and of latents under tensor parallelism.
TEST_P(LayoutTensorsTest, JoinToThoseOfOneProcess) {
  const suite::ArmRuns runs = both();
  const trace::Trace &one = *runs.evidence.trace(whole()), &other = *runs.evidence.trace(laid_out());
  EXPECT_THAT(other.replica_differences(), testing::IsEmpty());
  std::map<trace::Phase, int64_t> count;
  for (const trace::TensorKey& key : one.tensors()) {
    ++count[key.phase];
    expect_equal(one, key, other, key);
  }
  for (const trace::Phase phase : {trace::Phase::input, trace::Phase::forward, trace::Phase::backward,
                                   trace::Phase::grad, trace::Phase::optim, trace::Phase::param})
    EXPECT_GT(count[phase], 0) << name_of(phase);
  if (GetParam().model == FaultModel::mixture && has("parallel.tp")) {
    EXPECT_THAT(terms_of(other),
                testing::IsSupersetOf({"forward layers.1.moe.shared_experts", "backward layers.1.moe.router",
                                       "backward layers.0.attention.wkv_a"}));
  }
  for (const trace::TensorKey& key : other.tensors())
    if (key.name == "read/positions") {  // one process counts them in the model
      expect_equal(one, {key.step, key.phase, "positions"}, other, key);
    } else if (!one.has_tensor(key)) {  // gradients before their reduction: terms of the sum
      ASSERT_EQ(key.phase, trace::Phase::grad_local) << key.name;
      expect_equal(one, {key.step, trace::Phase::grad, key.name}, other, key);
    }
}

INSTANTIATE_TEST_SUITE_P(, LayoutTensorsTest, testing::ValuesIn(fault_layouts),
                         [](const auto& layout) { return std::string(layout.param.name); });

}  // namespace
}  // namespace parity
