// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <limits>

#include <gmock/gmock.h>

#include "tests/harness/api/recorder_fixture.hpp"
#include "tests/support/places.hpp"

namespace parity {
namespace {

using testing::HasSubstr;

/// Offers tensors by what an emulated device measured of them.
class DeviceMeasureTest : public CRecorderTest {
 protected:
  static void SetUpTestSuite() {
    ::setenv("PARITY_DEVICE_LIBRARY", (places::build + "/lib/libemulated-device.so").c_str(), 1);
  }
  parity_tensor tensor_of(const char* name) const {
    parity_tensor tensor = {};
    tensor.struct_size = sizeof tensor;
    tensor.phase = "grad";
    tensor.name = name;
    tensor.dtype = "float32";
    tensor.rank = 2;
    tensor.shape = shape_.data();
    tensor.data = values_.data();
    return tensor;
  }

  /// Measures a tensor, offers what was measured, and returns its status.
  int offer_measured(const parity_tensor& tensor) const {
    parity_measured* measured = parity_recorder_measure_cuda(recorder_, &tensor, 0, nullptr);
    EXPECT_NE(measured, nullptr) << parity_recorder_last_error();
    parity_tensor about = {};
    about.struct_size = sizeof about;
    about.phase = tensor.phase;
    about.name = tensor.name;
    about.flags = tensor.flags;
    about.order = tensor.order;
    const int status = parity_recorder_offer_measured(recorder_, &about, measured);
    parity_recorder_free_measured(measured);
    return status;
  }

  std::vector<float> values_ = numbers();
  std::vector<int64_t> shape_ = {257, 33};

 private:
  static std::vector<float> numbers() {
    std::vector<float> values(257 * 33);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(i % 1013) / 7.0F - 60.0F;
    values[40] = std::numeric_limits<float>::quiet_NaN();
    return values;
  }
};

constexpr const char* sketches = R"({"sketches": [{}]})";
/// The rows of the memory are rows 100 to 256, then 0 to 99.
constexpr const char* turned = R"({"global_shape": [257, 33], "placements": [{"mesh": "tp", "coordinate": 0,
  "size": 1, "kind": "shard", "dim": 0, "ranges": [[100, 257], [0, 100]]}]})";

TEST_F(DeviceMeasureTest, RowsHaveTheBitsOfTheHosts) {
  for (const char* layout : {static_cast<const char*>(nullptr), turned}) {
    SCOPED_TRACE(layout == nullptr ? "whole" : layout);
    std::vector<trace::SketchRow> rows;
    for (const bool measures : {false, true}) {
      const std::string file = measures ? "device.h5" : "host.h5";
      open_recorder(sketches, file);
      ASSERT_EQ(parity_recorder_begin_step(recorder_, 1), 0);
      parity_tensor tensor = tensor_of("w");
      tensor.layout = layout;
      tensor.flags = PARITY_TENSOR_ORDERED;
      tensor.order = 3;
      ASSERT_EQ(measures ? offer_measured(tensor) : parity_recorder_offer(recorder_, &tensor), 0)
          << parity_recorder_last_error();
      ASSERT_EQ(parity_recorder_end_step(recorder_), 0);
      ASSERT_EQ(parity_recorder_finish(recorder_), 0) << parity_recorder_last_error();
      const trace::Trace trace = trace::Trace::open(folder / file);
      ASSERT_EQ(trace.sketches().size(), 1);
      rows.push_back(trace.sketches().front());
    }
    EXPECT_EQ(rows[0].digest, rows[1].digest);
    EXPECT_EQ(rows[0].shape, rows[1].shape);
    EXPECT_EQ(rows[0].order, 3);
    EXPECT_EQ(rows[1].order, 3);
    EXPECT_EQ(rows[0].norm, rows[1].norm);
    EXPECT_EQ(rows[0].nan_count, 1);
    EXPECT_EQ(rows[1].nan_count, 1);
    EXPECT_EQ(rows[0].values, rows[1].values);
  }
}

TEST_F(DeviceMeasureTest, MeasuredBeforeTheStep_IsOfTheMomentItWasMeasured) {
  open_recorder(sketches);
  const parity_tensor tensor = tensor_of("w");
  parity_measured* measured = parity_recorder_measure_cuda(recorder_, &tensor, 0, nullptr);
  ASSERT_NE(measured, nullptr) << parity_recorder_last_error();
  const std::vector<float> before = values_;
  values_.assign(values_.size(), 0);  // as clipping changes a gradient
  ASSERT_EQ(parity_recorder_begin_step(recorder_, 1), 0);
  ASSERT_EQ(parity_recorder_offer_measured(recorder_, &tensor, measured), 0) << parity_recorder_last_error();
  parity_recorder_free_measured(measured);
  ASSERT_EQ(parity_recorder_end_step(recorder_), 0);
  ASSERT_EQ(parity_recorder_finish(recorder_), 0);
  const trace::Trace trace = trace::Trace::open(folder / "trace.h5");
  EXPECT_EQ(trace.sketches().front().nan_count, 1);
}

TEST_F(DeviceMeasureTest, WantedElements_AreRefused) {
  open_recorder(R"({"tensors": [{"names": ["kept"]}], "sketches": [{}]})");
  ASSERT_EQ(parity_recorder_begin_step(recorder_, 1), 0);
  const int64_t kept = parity_recorder_intern(recorder_, "grad", "kept");
  const int64_t other = parity_recorder_intern(recorder_, "grad", "other");
  EXPECT_EQ(parity_recorder_wants_elements_id(recorder_, kept), 1);
  EXPECT_EQ(parity_recorder_wants_elements_id(recorder_, other), 0);
  EXPECT_EQ(parity_recorder_wants_elements_id(recorder_, 99), -1);
  EXPECT_EQ(offer_measured(tensor_of("kept")), 2);
  EXPECT_THAT(parity_recorder_last_error(),
              HasSubstr("cannot record tensor kept by what was measured of it"));
  EXPECT_EQ(offer_measured(tensor_of("other")), 0);
  parity_tensor another = tensor_of("another");
  parity_measured* measured = parity_recorder_measure_cuda(recorder_, &another, 0, nullptr);
  another.dtype = "float64";
  EXPECT_EQ(parity_recorder_offer_measured(recorder_, &another, measured), 2);
  EXPECT_THAT(parity_recorder_last_error(), HasSubstr("another dtype, shape or layout than was measured"));
  parity_recorder_free_measured(measured);
  EXPECT_EQ(offer_measured(tensor_of("other")), 2) << "offered twice";
}

TEST_F(DeviceMeasureTest, WhatCannotBeMeasured_IsRefused) {
  open_recorder(sketches);
  const auto reason = [&](const parity_tensor& tensor, int32_t device) {
    EXPECT_EQ(parity_recorder_measure_cuda(recorder_, &tensor, device, nullptr), nullptr);
    return std::string(parity_recorder_last_error());
  };
  parity_tensor tensor = tensor_of("w");
  EXPECT_THAT(reason(tensor, 7), HasSubstr("cannot measure a tensor on device 7 (CUDA cannot allocate"));
  const std::vector<int64_t> strides = {1, 257};
  tensor.strides = strides.data();
  EXPECT_THAT(reason(tensor, 0), HasSubstr("give a contiguous one"));
  tensor = tensor_of("w");
  tensor.micro_batches = 2;
  EXPECT_THAT(reason(tensor, 0), HasSubstr("a piece of micro-batches"));
  tensor = tensor_of("w");
  tensor.data = nullptr;
  EXPECT_THAT(reason(tensor, 0), HasSubstr("data is NULL"));
  tensor = tensor_of("w");
  tensor.layout =
      R"({"global_shape": [400000000, 33], "placements": [{"mesh": "tp", "coordinate": 0, "size": 2,
    "kind": "shard", "dim": 0, "ranges": [[0, 200000000]]}]})";
  EXPECT_THAT(reason(tensor, 0), HasSubstr("its shape is (257, 33), but its layout describes"));
  EXPECT_EQ(parity_recorder_offer_measured(recorder_, &tensor, nullptr), 2);
  EXPECT_EQ(parity_recorder_measures_cuda(0), 1);
  EXPECT_EQ(parity_recorder_measures_cuda(8), 0);
  EXPECT_THAT(parity_recorder_last_error(), HasSubstr("device 8 is not one of"));
}

}  // namespace
}  // namespace parity
