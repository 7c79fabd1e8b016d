// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// What a capture copies from a device to the host, with a plug-in that measures there and with one that does
// not.
#include <cstring>

#include <gmock/gmock.h>

#include <torch/types.h>

#include "harness/base/error.hpp"
#include "harness/measure/difference/measure_difference.hpp"
#include "harness/trace/read/content_digest.hpp"
#include "harness/trace/read/trace.hpp"
#include "harness/trace/write/recorder.hpp"
#include "reference/model/parameter.hpp"
#include "reference/train/capture/capture.hpp"
#include "reference/train/numerics/determinism.hpp"
#include "reference/train/step/trainer.hpp"
#include "tests/reference/tiny.hpp"
#include "tests/support/devices/foreign_device.hpp"
#include "tests/support/devices/foreign_measure.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/traces/measured_bits.hpp"

namespace parity::reference {
namespace {

using testing::Each;

constexpr const char* watched = "layers.0.attention.wq.weight";

trace::Capture sketches_of_everything() {
  trace::Capture capture;
  capture.sketches.emplace_back();
  return capture;
}

/// Two updates. \return the bytes that went to the host meanwhile
int64_t train(const Device& device, const std::filesystem::path& file, const trace::Capture& capture,
              const trace::FaultHook& fault = {}) {
  make_deterministic(1);
  RunConfig config = tiny_config();
  config.attention.backend = AttentionBackend::flex;
  Trainer trainer(config, Group::world({}, {}, device));
  trace::Recorder recorder({file, Json::object(), Json::object(), capture});
  if (fault)
    recorder.set_fault_hook(fault);
  StepCapture steps(trainer, recorder);
  const int64_t before = foreign_bytes_to_host();
  steps.initial_state();
  for (int64_t step = 1; step <= 2; ++step) {
    steps.begin_step(step);
    steps.end_step(trainer.step());
  }
  recorder.finish();
  return foreign_bytes_to_host() - before;
}

void require_equal_rows(const std::filesystem::path& one, const std::filesystem::path& other) {
  const trace::Trace a = trace::Trace::open(one), b = trace::Trace::open(other);
  require(!a.sketches().empty() && content_digest(a) == content_digest(b), "another content");
  for (const trace::SketchRow& row : a.sketches())
    require(b.find_sketch(row.key)->order == row.order, "another order");
}

class CaptureOnDeviceTest : public RanksTest {
 protected:
  void in_a_process(const std::function<void()>& act) {
    EXPECT_THAT(run_ranks(1, [&](Group&) { act(); }), Each(""));
  }
};

TEST_F(CaptureOnDeviceTest, Kernels_SketchOnDeviceWithRowsOfTheCpu) {
  in_a_process([&] {
    const int64_t bare = train(foreign_device(), folder / "bare.h5", {});
    require(foreign_measurements() == 0, "measured what nobody wants");
    const int64_t sketched = train(foreign_device(), folder / "there.h5", sketches_of_everything());
    require(foreign_measurements() > 0, "nothing was measured there");
    // First keys are read back on the host, from one byte for each pair of the mask, which rows share.
    const int64_t S = tiny_config().data.seq_len, pairs = 2 * S * S;
    require(sketched - bare == pairs, std::to_string(sketched - bare) + " bytes of tensors went to the host");
    train({}, folder / "here.h5", sketches_of_everything());
    require_equal_rows(folder / "here.h5", folder / "there.h5");
  });
}

TEST_F(CaptureOnDeviceTest, WhatIsKeptWholeGoesToTheHostAndNothingElse) {
  in_a_process([&] {
    trace::Capture capture = sketches_of_everything();
    const int64_t sketched = train(foreign_device(), folder / "sketched.h5", capture);
    capture.tensors.push_back({{2}, {trace::Phase::grad, trace::Phase::param}, {watched}});
    const int64_t kept = train(foreign_device(), folder / "there.h5", capture);
    const int64_t each = 16 * 16 * 4;  // [n_heads head_dim, dim] float32
    require(kept - sketched == 2 * each, std::to_string(kept - sketched) + " bytes");
    train({}, folder / "here.h5", capture);
    require_equal_rows(folder / "here.h5", folder / "there.h5");
    const trace::TensorKey key = {2, trace::Phase::grad, watched};
    const trace::Trace here = trace::Trace::open(folder / "here.h5"),
                       there = trace::Trace::open(folder / "there.h5");
    require(there.tensor(key).bytes() == static_cast<size_t>(each), "nothing was kept");
    require(std::memcmp(here.tensor(key).data, there.tensor(key).data, each) == 0, "other values");
  });
}

TEST_F(CaptureOnDeviceTest, AFaultGoesOnIntoTheRunOnTheDevice) {
  in_a_process([&] {
    const trace::FaultHook fault = [](int64_t step, trace::Phase phase, std::string_view name,
                                      const TensorView&, void* data) {
      if (step == 1 && phase == trace::Phase::param && name == watched)
        static_cast<float*>(data)[3] += 0.5F;
    };
    train({}, folder / "here.h5", sketches_of_everything(), fault);
    train(foreign_device(), folder / "there.h5", sketches_of_everything(), fault);
    require_equal_rows(folder / "here.h5", folder / "there.h5");
    train(foreign_device(), folder / "sound.h5", sketches_of_everything());
    require(trace::Trace::open(folder / "sound.h5").channels().at("loss").as_double() !=
                trace::Trace::open(folder / "there.h5").channels().at("loss").as_double(),
            "the fault changed nothing");
  });
}

TEST_F(CaptureOnDeviceTest, NoKernels_SketchOnHostWithTheSameRows) {
  in_a_process([&] {
    Device device = foreign_device();
    DevicePlugin plugin = *device.plugin;
    plugin.measure = nullptr;
    device.plugin = &plugin;
    const int64_t bare = train(device, folder / "bare.h5", {});
    require(train(device, folder / "there.h5", sketches_of_everything()) > bare, "no tensor was copied");
    require(foreign_measurements() == 0, "measured on a device that cannot");
    train({}, folder / "here.h5", sketches_of_everything());
    require_equal_rows(folder / "here.h5", folder / "there.h5");
  });
}

TEST_F(CaptureOnDeviceTest, TwoTensorsAreComparedWhereTheyAre) {
  in_a_process([] {
    const Device device = foreign_device();
    torch::Tensor one = torch::arange(3000, torch::kFloat32), other = one.clone();
    other[1234] += 1;
    const auto view = [](const torch::Tensor& x) {
      return TensorView{DType::float32, x.sizes().vec(), x.const_data_ptr()};
    };
    const measure::Difference here = measure::measure_difference(view(one), view(other));
    const torch::Tensor expected = one.to(device.place), actual = other.to(device.place);
    const int64_t before = foreign_bytes_to_host();
    const measure::Difference there = device.plugin->measure->difference(view(expected), view(actual), 0);
    require(bits_of(there) == bits_of(here) && there.worst_index == 1234, "another difference");
    require(foreign_bytes_to_host() == before, "tensors went to the host");
  });
}

}  // namespace
}  // namespace parity::reference
