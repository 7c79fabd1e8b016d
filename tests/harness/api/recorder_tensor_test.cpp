// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "harness/api/recorder/dlpack.hpp"
#include "harness/base/error.hpp"
#include "harness/trace/hdf5/input_file.hpp"
#include "tests/harness/api/recorder_fixture.hpp"

namespace parity {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* keep_all = R"({"tensors": [{}]})";

/// Memory that only `copy_device` may read and write, as a device's. It counts the copies.
struct Device {
  std::vector<float> values;
  int to_host = 0;
  int from_host = 0;
  int status = 0;
};

int copy_device(void* context, void* to, const void* from, size_t bytes, int32_t direction) {
  auto& device = *static_cast<Device*>(context);
  ++(direction == PARITY_COPY_TO_HOST ? device.to_host : device.from_host);
  std::memcpy(to, from, bytes);
  return device.status;
}

/// Offers tensors through the C functions.
class RecorderTensorTest : public CRecorderTest {
 protected:
  void open(const std::string& capture = keep_all, const std::string& file = "trace.h5") {
    open_recorder(capture, file);
    ASSERT_EQ(parity_recorder_begin_step(recorder_, 1), 0) << parity_recorder_last_error();
  }

  static parity_tensor tensor_of(const char* name, const std::vector<float>& values,
                                 const std::vector<int64_t>& shape) {
    parity_tensor tensor = {};
    tensor.struct_size = sizeof tensor;
    tensor.phase = "grad";
    tensor.name = name;
    tensor.dtype = "float32";
    tensor.rank = static_cast<int32_t>(shape.size());
    tensor.shape = shape.data();
    tensor.data = values.data();
    return tensor;
  }

  void offer(const parity_tensor& tensor) const {
    ASSERT_EQ(parity_recorder_offer(recorder_, &tensor), 0) << parity_recorder_last_error();
  }

  std::string refused(const parity_tensor& tensor) const {
    EXPECT_EQ(parity_recorder_offer(recorder_, &tensor), 2);
    return parity_recorder_last_error();
  }

  trace::Trace finish(const std::string& file = "trace.h5") {
    EXPECT_EQ(parity_recorder_end_step(recorder_), 0) << parity_recorder_last_error();
    EXPECT_EQ(parity_recorder_finish(recorder_), 0) << parity_recorder_last_error();
    return trace::Trace::open(folder / file);
  }

  static std::vector<float> grad(const trace::Trace& trace, const std::string& name) {
    return values_of<float>(trace.tensor({1, trace::Phase::grad, name}));
  }

  const std::vector<int64_t> matrix_ = {2, 3};
};

TEST_F(RecorderTensorTest, Strides_OfColumns_AreRecordedByRow) {
  open();
  const std::vector<float> columns = {1, 4, 2, 5, 3, 6};
  const std::vector<int64_t> transposed = {1, 2}, upwards = {-1, 2};
  parity_tensor tensor = tensor_of("t", columns, matrix_);
  tensor.strides = transposed.data();
  offer(tensor);
  tensor = tensor_of("up", columns, matrix_);
  tensor.strides = upwards.data();
  tensor.data = columns.data() + 1;
  offer(tensor);
  const trace::Trace trace = finish();
  EXPECT_THAT(grad(trace, "t"), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(grad(trace, "up"), ElementsAre(4, 5, 6, 1, 2, 3));
}

TEST_F(RecorderTensorTest, Fault_InStridedMemory_ReachesTheTrainer) {
  open(R"({"tensors": [{}], "faults": [{"kind": "scale", "phase": "grad", "name": "w", "size": 1}]})");
  std::vector<float> rows = {1, 2, 3, 9, 4, 5, 6, 9};
  const std::vector<int64_t> strides = {4, 1};
  parity_tensor tensor = tensor_of("w", rows, matrix_);
  tensor.strides = strides.data();
  EXPECT_THAT(refused(tensor), HasSubstr("read-only"));
  open(R"({"tensors": [{}], "faults": [{"kind": "scale", "phase": "grad", "name": "w", "size": 1}]})");
  tensor.writable = rows.data();
  offer(tensor);
  EXPECT_THAT(rows, ElementsAre(2, 4, 6, 9, 8, 10, 12, 9));
  EXPECT_THAT(grad(finish(), "w"), ElementsAre(2, 4, 6, 8, 10, 12));
}

TEST_F(RecorderTensorTest, Fault_InDeviceMemory_IsCopiedBack) {
  open(R"({"tensors": [{}], "faults": [{"kind": "scale", "phase": "grad", "name": "w", "size": 1}]})");
  Device device = {{1, 2, 3, 9, 4, 5, 6, 9}};
  const std::vector<int64_t> strides = {4, 1};
  parity_tensor tensor = tensor_of("w", device.values, matrix_);
  tensor.strides = strides.data();
  tensor.writable = device.values.data();
  tensor.copy = copy_device;
  tensor.copy_context = &device;
  offer(tensor);
  EXPECT_THAT(device.values, ElementsAre(2, 4, 6, 9, 8, 10, 12, 9));
  EXPECT_EQ(device.to_host, 2);  // one for each row: what lies between them is not touched
  EXPECT_EQ(device.from_host, 2);
  EXPECT_THAT(grad(finish(), "w"), ElementsAre(2, 4, 6, 8, 10, 12));
}

TEST_F(RecorderTensorTest, DeviceMemory_NotWanted_IsNotCopied) {
  open(R"({"tensors": [{"names": ["other"]}]})");
  Device device = {{1, 2, 3, 4, 5, 6}};
  parity_tensor tensor = tensor_of("w", device.values, matrix_);
  tensor.copy = copy_device;
  tensor.copy_context = &device;
  offer(tensor);
  EXPECT_EQ(device.to_host, 0);
  EXPECT_THAT(finish().tensors(), IsEmpty());
}

TEST_F(RecorderTensorTest, CopyFunction_Fails_IsReported) {
  open();
  Device device = {{1, 2, 3, 4, 5, 6}};
  device.status = 7;
  parity_tensor tensor = tensor_of("w", device.values, matrix_);
  tensor.copy = copy_device;
  tensor.copy_context = &device;
  EXPECT_THAT(refused(tensor), HasSubstr("copy function returned 7 for 24 bytes to the host"));
}

TEST_F(RecorderTensorTest, MicroBatches_OfferedByRow_AreOneTensor) {
  open();
  const std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<int64_t> two = {2, 3}, one = {1, 3};
  for (const int64_t batch : {1, 0}) {
    parity_tensor tensor = tensor_of("x", values, batch == 0 ? two : one);
    tensor.data = values.data() + 6 * batch;
    tensor.micro_batch = batch;
    tensor.micro_batches = 2;
    tensor.first_row = 2 * batch;
    tensor.rows = 3;
    offer(tensor);
  }
  const trace::Trace trace = finish();
  EXPECT_EQ(trace.tensor({1, trace::Phase::grad, "x"}).shape, Shape({3, 3}));
  EXPECT_EQ(grad(trace, "x"), values);
}

TEST_F(RecorderTensorTest, Order_Given_IsRecorded) {
  open();
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  parity_tensor tensor = tensor_of("late", values, matrix_);
  tensor.flags = PARITY_TENSOR_ORDERED;
  tensor.order = 5;
  offer(tensor);
  tensor = tensor_of("early", values, matrix_);
  tensor.flags = PARITY_TENSOR_ORDERED;
  offer(tensor);
  offer(tensor_of("next", values, matrix_));
  tensor.name = "bad";
  tensor.order = -1;
  EXPECT_THAT(refused(tensor), HasSubstr("has the order -1"));
  tensor.flags = 64;
  EXPECT_THAT(refused(tensor), HasSubstr("flags"));
  const trace::Trace trace = finish();
  EXPECT_EQ(trace.find_sketch({1, trace::Phase::grad, "late"})->order, 5);
  EXPECT_EQ(trace.find_sketch({1, trace::Phase::grad, "early"})->order, 0);
  EXPECT_EQ(trace.find_sketch({1, trace::Phase::grad, "next"})->order, 6);
}

TEST_F(RecorderTensorTest, Recomputed_WithTeacher_IsTaughtOnly) {
  open(keep_all, "other.h5");
  const std::vector<float> theirs = {1, 2, 3, 4, 5, 6};
  offer(tensor_of("x", theirs, matrix_));
  finish("other.h5");
  open(R"({"tensors": [{}], "teacher": ")" + (folder / "other.h5").string() + "\"}");
  const int64_t id = parity_recorder_intern(recorder_, "grad", "x");
  EXPECT_EQ(parity_recorder_wants_id(recorder_, id),
            PARITY_WANTS_TENSOR | PARITY_WANTS_WRITABLE | PARITY_WANTS_RECOMPUTED);
  std::vector<float> own = {0, 0, 0, 0, 0, 9};
  parity_tensor tensor = tensor_of("x", own, matrix_);
  tensor.writable = own.data();
  offer(tensor);
  EXPECT_EQ(own, theirs);
  own.assign(6, 8);
  tensor.flags = PARITY_TENSOR_RECOMPUTED;
  offer(tensor);
  EXPECT_EQ(own, theirs);
  tensor.writable = nullptr;
  EXPECT_THAT(refused(tensor), HasSubstr("cannot teach the recomputed tensor x"));
  EXPECT_THAT(grad(finish(), "x"), ElementsAre(0, 0, 0, 0, 0, 9));
}

TEST_F(RecorderTensorTest, WantsId_NextStep_IsAskedAgain) {
  open(R"({"tensors": [{"steps": [2], "names": ["w"]}]})");
  const int64_t w = parity_recorder_intern(recorder_, "grad", "w");
  EXPECT_EQ(parity_recorder_intern(recorder_, "grad", "w"), w);
  EXPECT_NE(parity_recorder_intern(recorder_, "param", "w"), w);
  EXPECT_EQ(parity_recorder_intern(recorder_, "gard", "w"), -1);
  EXPECT_EQ(parity_recorder_wants_id(recorder_, w), 0);
  ASSERT_EQ(parity_recorder_end_step(recorder_), 0);
  ASSERT_EQ(parity_recorder_begin_step(recorder_, 2), 0);
  EXPECT_EQ(parity_recorder_wants_id(recorder_, w), PARITY_WANTS_TENSOR);
}

TEST_F(RecorderTensorTest, Operators_InCapture_AreWanted) {
  open(R"({"tensors": [{}], "operators": [{"phases": ["forward"], "names": ["layers.0.*"]}]})");
  EXPECT_EQ(parity_recorder_wants_operators(recorder_, nullptr, nullptr), 1);
  EXPECT_EQ(parity_recorder_wants_operators(recorder_, "forward", "layers.0.wq"), 1);
  EXPECT_EQ(parity_recorder_wants_operators(recorder_, "backward", "layers.0.wq"), 0);
  EXPECT_EQ(parity_recorder_wants_operators(recorder_, "forward", nullptr), -1);
}

TEST_F(RecorderTensorTest, WritableMemory_Unusable_IsRefused) {
  open();
  std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const std::vector<int64_t> repeated = {0, 1};
  parity_tensor tensor = tensor_of("w", values, matrix_);
  tensor.writable = values.data() + 1;
  EXPECT_THAT(refused(tensor), HasSubstr("another address"));
  open();
  tensor.writable = values.data();
  tensor.strides = repeated.data();
  EXPECT_THAT(refused(tensor), HasSubstr("share places"));
  open();
  tensor.writable = nullptr;
  offer(tensor);
  EXPECT_THAT(grad(finish(), "w"), ElementsAre(1, 2, 3, 1, 2, 3));
}

TEST_F(RecorderTensorTest, Layout_NotOfTheFormat_IsRefused) {
  open();
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  parity_tensor tensor = tensor_of("w", values, matrix_);
  tensor.layout = R"({"global_shape": [2, 3]})";
  EXPECT_THAT(refused(tensor), HasSubstr("cannot read a tensor's layout"));
  EXPECT_THAT(refused(tensor), HasSubstr("cannot read a tensor's layout"));
  tensor.layout = "[]";
  EXPECT_THAT(refused(tensor), HasSubstr("layout is not a JSON object"));
}

TEST_F(RecorderTensorTest, Replay_InCapture_IsRecorded) {
  open(R"({"replay": true})");
  EXPECT_EQ(parity_recorder_wants_replay(recorder_), 1);
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const parity_tensor weight = tensor_of("w", values, matrix_);
  EXPECT_EQ(parity_recorder_replay_parameter(recorder_, &weight), 0) << parity_recorder_last_error();
  const std::vector<int64_t> tokens = {7, 8, 9, 10, 11, 12};
  parity_tensor batch = tensor_of("tokens", values, matrix_);
  batch.dtype = "int64";
  batch.data = tokens.data();
  EXPECT_EQ(parity_recorder_replay_batch(recorder_, 1, 0, &batch), 0) << parity_recorder_last_error();
  finish();
  const trace::InputFile file(trace_path());
  const hdf5::Handle replay = file.group(file.root(), "replay");
  EXPECT_THAT(file.names(file.group(replay, "initial")), ElementsAre("w"));
  EXPECT_THAT(file.names(file.group(replay, "batches")), ElementsAre("1"));
}

/// A DLPack tensor over host memory.
capi::DlTensor dl_tensor(void* data, std::vector<int64_t>& shape, uint8_t code, uint8_t bits) {
  return {data, 1, 0, static_cast<int32_t>(shape.size()), code, bits, 1, shape.data(), nullptr, 0};
}

TEST_F(RecorderTensorTest, DlPack_OfHostMemory_IsRecorded) {
  open(R"({"tensors": [{}], "faults": [{"kind": "scale", "phase": "grad", "name": "w", "size": 1}]})");
  std::vector<float> values = {9, 1, 2, 3, 4, 5, 6};
  std::vector<int64_t> shape = matrix_;
  capi::DlTensor memory = dl_tensor(values.data(), shape, 2, 32);
  memory.byte_offset = sizeof(float);
  parity_tensor about = {};
  about.struct_size = sizeof about;
  about.phase = "grad";
  about.name = "w";
  about.writable = values.data();
  ASSERT_EQ(parity_recorder_offer_dlpack(recorder_, &about, &memory), 0) << parity_recorder_last_error();
  EXPECT_THAT(values, ElementsAre(9, 2, 4, 6, 8, 10, 12));
  EXPECT_THAT(grad(finish(), "w"), ElementsAre(2, 4, 6, 8, 10, 12));
}

TEST_F(RecorderTensorTest, DlPack_OnADevice_NeedsCopy) {
  open();
  Device device = {{1, 2, 3, 4, 5, 6}};
  std::vector<int64_t> shape = matrix_;
  capi::DlTensor memory = dl_tensor(device.values.data(), shape, 2, 32);
  memory.device_type = 2;
  parity_tensor about = {};
  about.struct_size = sizeof about;
  about.phase = "grad";
  about.name = "w";
  EXPECT_EQ(parity_recorder_offer_dlpack(recorder_, &about, &memory), 2);
  EXPECT_THAT(parity_recorder_last_error(), HasSubstr("set parity_tensor.copy"));
  about.copy = copy_device;
  about.copy_context = &device;
  ASSERT_EQ(parity_recorder_offer_dlpack(recorder_, &about, &memory), 0) << parity_recorder_last_error();
  EXPECT_THAT(grad(finish(), "w"), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(DlPackTypes, EveryDType_HasOneCode) {
  std::set<std::string> names;
  const std::map<int, std::vector<int>> bits_of = {
      {0, {8, 16, 32, 64}}, {1, {8}}, {2, {16, 32, 64}}, {4, {16}}, {6, {8}}, {10, {8}}, {12, {8}}};
  for (const auto& [code, sizes] : bits_of)
    for (const int bits : sizes) {
      std::vector<int64_t> shape;
      const capi::DlTensor tensor =
          dl_tensor(nullptr, shape, static_cast<uint8_t>(code), static_cast<uint8_t>(bits));
      EXPECT_EQ(size_of(parse_enum<DType>(capi::dtype_of(tensor))) * 8, static_cast<size_t>(bits));
      names.insert(capi::dtype_of(tensor));
    }
  EXPECT_EQ(names.size() + 1, EnumNames<DType>::names.size()) << "residue64 has no code";
  std::vector<int64_t> shape;
  EXPECT_THROW(capi::dtype_of(dl_tensor(nullptr, shape, 5, 64)), UserError);  // complex
}

TEST_F(RecorderTensorTest, UpdatesAreHeartbeats) {
  ::setenv("PARITY_HEARTBEAT", (folder / "heartbeat.{rank}.json").c_str(), 1);
  open();
  const auto said = [&] { return Json::parse(read_file(folder / "heartbeat.0.json")); };
  EXPECT_EQ(said(), Json::object()) << "no update has ended";
  ASSERT_EQ(parity_recorder_end_step(recorder_), 0) << parity_recorder_last_error();
  EXPECT_EQ(said().at("step"), 1);
  ::setenv("PARITY_HEARTBEAT", "/proc/no/such/folder", 1);
  open();
  EXPECT_EQ(parity_recorder_end_step(recorder_), 0) << "an unwatched training goes on";
  ::unsetenv("PARITY_HEARTBEAT");
}

}  // namespace
}  // namespace parity
