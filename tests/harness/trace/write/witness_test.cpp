// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Our files in other people's programs, and theirs in ours.
#include <gmock/gmock.h>

#include "tests/support/places.hpp"
#include "tests/support/traces/recorded.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TraceWitnessTest : public RecordedTest {};

TEST_F(TraceWitnessTest, ATraceByPlainH5pyInThirtyLinesIsRead) {
  const std::string script = places::source + "/tests/support/minimal_trace.py";
  const std::string source = read_file(script);
  EXPECT_LE(std::count(source.begin(), source.end(), '\n'), 30);
  const CommandResult run = run_shell(places::python + " " + script + " " + trace_path().string());
  ASSERT_EQ(run.status, 0) << run.output;
  const Trace trace = Trace::open(folder);
  EXPECT_TRUE(trace.complete());
  EXPECT_EQ(trace.last_step(), 5);
  EXPECT_EQ(trace.config(), Json::object());
  EXPECT_THAT(trace.channels().at("loss").as_double(), ElementsAre(2.0, 1.0, 2.0 / 3, 0.5, 0.4));
  EXPECT_EQ(std::get<std::vector<int64_t>>(trace.channels().at("valid_tokens").values)[4], 1024);
  const TensorView weight = trace.tensor({5, Phase::param, "tok_embeddings.weight"});
  EXPECT_EQ(weight.shape, Shape({2, 3}));
  EXPECT_EQ(values_of<float>(weight)[5], 1.0F);
}

constexpr const char* read_ours = R"(
import sys, json, h5py, numpy as np
with h5py.File(sys.argv[1]) as f:
    assert f.attrs["schema"] == b"parity.trace/1.2", f.attrs["schema"]
    assert f.attrs["status"] == b"complete"
    assert f.attrs["last_step"] == 1
    assert json.loads(f.attrs["config"]) == {"steps": 2}
    assert f["steps"][:].tolist() == [1]
    assert f["channels/loss"].dtype == "f8" and f["channels/loss"][0] == 0.1
    assert f["channels/loss"].attrs["kind"] == b"numeric"
    expected = [1.0, -0.5, 3.0, 0.0, float("inf"), float("nan")]
    for name in ["float64", "float32", "bfloat16", "float16", "float8_e5m2"]:
        part = f["tensors/1/param/" + name + "/0"]
        assert part.attrs["dtype"].decode() == name
        assert part.attrs["global_shape"].tolist() == [2, 3]
        assert part.compression is None and part.chunks is None
        np.testing.assert_array_equal(part[:].astype("f8").ravel(), expected, err_msg=name)
    assert f["tensors/1/param/bool/0"].dtype == bool
    assert f["tensors/1/param/bool/0"][:].ravel().tolist() == [True, False, True]
    assert f["tensors/1/param/float8_e4m3fn/0"].dtype == "u1"
    assert f["tensors/1/param/float8_e4m3fn/0"][:].tolist() == [0x38, 0x7F]
    s = f["sketches"]
    assert s["name"][2] == b"bfloat16"
    assert s["phase"][0] == b"param" and s["dtype"][2] == b"bfloat16"
    assert s["shape"][0].tolist() == [2, 3] + [-1] * 6
    assert s["nan_count"][2] == 1 and s["inf_count"][2] == 1 and s["max_abs"][2] == 3
    assert s["values"].shape == (7, 64) and s["digest"].shape == (7, 2) and s["digest"].dtype == "u8"
print("read")
)";

TEST_F(TraceWitnessTest, H5pyAndH5dumpReadOurs) {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  Recorder recorder(options());
  recorder.begin_step(1);
  recorder.channel("loss", 0.1);
  for (const DType dtype :
       {DType::float64, DType::float32, DType::bfloat16, DType::float16, DType::float8_e5m2}) {
    Sample sample(dtype, {1, -0.5, 3, 0, 0, 0});
    if (dtype == DType::float8_e5m2) {
      sample.put(4, uint8_t{0x7C});
      sample.put(5, uint8_t{0x7F});
    } else {
      sample.set(4, inf);
      sample.set(5, nan);
    }
    sample.view.shape = {2, 3};
    recorder.tensor(Phase::param, name_of(dtype), sample.view);
  }
  recorder.tensor(Phase::param, "bool", Sample(DType::bool8, {1, 0, 1}).view);
  Sample small(DType::float8_e4m3fn, {1, 0});
  small.put(1, uint8_t{0x7F});
  recorder.tensor(Phase::param, "float8_e4m3fn", small.view);
  recorder.end_step();
  recorder.finish();

  const CommandResult python = run_python(folder, read_ours, trace_path().string());
  EXPECT_EQ(python.output, "read\n");
  const CommandResult dump = run_shell("h5dump -d /tensors/1/param/bfloat16/0 " + trace_path().string());
  EXPECT_EQ(dump.status, 0);
  EXPECT_THAT(dump.output, HasSubstr("(0,0): 1, -0.5, 3"));
  EXPECT_THAT(dump.output, HasSubstr("(1,0): 0, inf, nan"));
  EXPECT_EQ(run_shell("h5dump " + trace_path().string()).status, 0);
}

constexpr const char* write_theirs = R"(
import sys, h5py, numpy as np
with h5py.File(sys.argv[1], "w") as f:
    f.attrs["schema"] = np.bytes_("parity.trace/1.1")
    f.attrs.create("status", "complete", dtype=h5py.string_dtype("utf-8", 8))
    f.create_dataset("steps", data=np.array([1, 3], "i4"), chunks=(1,), maxshape=(None,))
    f["channels/loss"] = np.array([0.1, 0.2], "f4")
    f["channels/lr"] = np.array([1, 2], "i2")
    f["channels/seconds"] = [0.5, 0.5]
    f["channels/seconds"].attrs["kind"] = "timing"
    t = f.create_group("tensors/3/grad")
    t["big_endian/0"] = np.array([1, 2, 3], ">f4")
    t.create_dataset("chunked/0", data=np.arange(100, dtype="f8"), chunks=(7,))
    t["halves/0"] = np.array([1, -2], "f2")
    t["flags/0"] = np.array([True, False])
    t["bytes/0"] = np.array([0x38, 0xC0], "u1")
    t["bytes/0"].attrs["dtype"] = "float8_e4m3fn"
    t["parts/0"] = np.zeros(2, "f4")
    t["parts/0"].attrs["global_shape"] = [4]
    t["parts/1"] = np.zeros(2, "f4")
)";

TEST_F(TraceWitnessTest, OtherLayoutsByteOrdersAndMinorVersionsAreRead) {
  const CommandResult run = run_python(folder, write_theirs, trace_path().string());
  ASSERT_EQ(run.status, 0) << run.output;
  const Trace trace = Trace::open(folder);
  EXPECT_EQ(trace.schema(), "parity.trace/1.1");
  EXPECT_THAT(trace.steps(), ElementsAre(1, 3));
  EXPECT_EQ(trace.channels().at("loss").as_double()[0], static_cast<double>(0.1F));
  EXPECT_THAT(std::get<std::vector<int64_t>>(trace.channels().at("lr").values), ElementsAre(1, 2));
  EXPECT_EQ(trace.channels().at("seconds").kind, ChannelKind::timing);
  EXPECT_THAT(values_of<float>(trace.tensor({3, Phase::grad, "big_endian"})), ElementsAre(1, 2, 3));
  EXPECT_EQ(values_of<double>(trace.tensor({3, Phase::grad, "chunked"}))[99], 99);
  EXPECT_EQ(trace.tensor({3, Phase::grad, "halves"}).dtype, DType::float16);
  EXPECT_EQ(trace.tensor({3, Phase::grad, "flags"}).dtype, DType::bool8);
  EXPECT_EQ(trace.tensor({3, Phase::grad, "bytes"}).dtype, DType::float8_e4m3fn);
  // Shards come with a later minor version: they are not read, but not ignored either.
  EXPECT_FALSE(trace.has_tensor({3, Phase::grad, "parts"}));
  EXPECT_THAT([&] { trace.tensor({3, Phase::grad, "parts"}); },
              testing::ThrowsMessage<UserError>(HasSubstr("is sharded")));
}

}  // namespace
}  // namespace parity::trace
