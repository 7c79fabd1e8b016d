// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "tests/support/traces/recorded.hpp"

namespace parity::trace {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Writes one file per case: a good trace, on which the case's line was run.
constexpr const char* write_cases = R"(
import sys, h5py, numpy as np
folder = sys.argv[1]

def replace(f, name, **kw):
    del f[name]
    return f.create_dataset(name, **kw)

def virtual(f):
    layout = h5py.VirtualLayout(shape=(3,), dtype="f8")
    layout[:] = h5py.VirtualSource("elsewhere.h5", "loss", shape=(3,))
    del f["channels/loss"]
    f.create_virtual_dataset("channels/loss", layout)

W = "tensors/1/param/w/0"
cases = {
    "no_schema": lambda f: f.attrs.__delitem__("schema"),
    "other_major": lambda f: f.attrs.__setitem__("schema", "parity.trace/2.0"),
    "schema_number": lambda f: f.attrs.__setitem__("schema", 1),
    "bad_status": lambda f: f.attrs.__setitem__("status", "done"),
    "bad_config": lambda f: f.attrs.__setitem__("config", "{"),
    "no_steps": lambda f: f.__delitem__("steps"),
    "equal_steps": lambda f: f["steps"].__setitem__(2, 2),
    "step_zero": lambda f: f["steps"].__setitem__(0, 0),
    "float_steps": lambda f: replace(f, "steps", data=[1.0, 2.0, 3.0]),
    "wrong_last_step": lambda f: f.attrs.__setitem__("last_step", 9),
    "no_channels": lambda f: f.__delitem__("channels"),
    "short_channel": lambda f: replace(f, "channels/loss", data=[1.0, 2.0]),
    "long_channel": lambda f: replace(f, "channels/loss", data=[1.0, 2.0, 3.0, 4.0]),
    "text_channel": lambda f: replace(f, "channels/loss", data=["a", "b", "c"]),
    "matrix_channel": lambda f: replace(f, "channels/loss", data=np.zeros((3, 1))),
    "large_unsigned": lambda f: replace(f, "channels/loss", data=np.array([1, 2, 2**64 - 1], "u8")),
    "small_unsigned": lambda f: replace(f, "channels/loss", data=np.array([1, 2, 2**63 - 1], "u8")),
    "bad_kind": lambda f: f["channels/loss"].attrs.__setitem__("kind", "secret"),
    "gzip": lambda f: replace(f, "channels/loss", data=[1.0, 2, 3], compression="gzip"),
    "shuffle_tensor": lambda f: replace(f, W, data=np.zeros(3, "f4"), chunks=(3,), shuffle=True),
    "external": lambda f: replace(f, W, shape=(2,), dtype="f4", external=[("/etc/passwd", 0, 8)]),
    "virtual": virtual,
    "soft_link": lambda f: f.__setitem__("channels/other", h5py.SoftLink("/channels/loss")),
    "external_link": lambda f: f.__setitem__("tensors/1/param/x", h5py.ExternalLink("other.h5", "/")),
    "root_link": lambda f: (f.__delitem__("channels"), f.__setitem__("channels", h5py.SoftLink("/tensors"))),
    "unwritten": lambda f: replace(f, W, shape=(1 << 40,), dtype="f4", chunks=(1 << 20,)),
    "unwritten_contiguous": lambda f: replace(f, W, shape=(8,), dtype="f4"),
    "overflow": lambda f: replace(f, W, shape=(1 << 40, 1 << 40), dtype="f8", chunks=(1, 1 << 10)),
    "compound": lambda f: replace(f, W, data=np.zeros(2, [("a", "f4"), ("b", "i4")])),
    "lying_dtype": lambda f: f[W].attrs.__setitem__("dtype", "float64"),
    "unknown_dtype": lambda f: f[W].attrs.__setitem__("dtype", "float31"),
    "unknown_phase": lambda f: f.__setitem__("tensors/1/after/w/0", [1.0]),
    "bad_step_group": lambda f: f.__setitem__("tensors/01/param/w/0", [1.0]),
    "cycle": lambda f: f.__setitem__("tensors/2", f["tensors"]),
    "root_in_itself": lambda f: f.__setitem__("tensors/2", f["/"]),
    "tensor_twice": lambda f: f.__setitem__("tensors/1/param/%77/0", np.zeros(2, "f4")),
    "channel_twice": lambda f: f.__setitem__("channels/los%73", [1.0, 2.0, 3.0]),
    "deep_config": lambda f: f.attrs.__setitem__("config", '{"a":' * 3000 + "1" + "}" * 3000),
    "list_config": lambda f: f.attrs.__setitem__("config", "[1]"),
    "huge_dimension": lambda f: replace(f, W, shape=(2**63 - 1,), dtype="i1", chunks=(1,)),
    "bad_encoding": lambda f: f.__setitem__("tensors/1/param/a%zz/0", [1.0]),
    "dataset_for_group": lambda f: f.__setitem__("tensors/2", [1.0]),
    "sketches_incomplete": lambda f: f.__setitem__("sketches/step", [1]),
}
for name, change in cases.items():
    with h5py.File(f"{folder}/{name}.h5", "w") as f:
        f.attrs["schema"], f.attrs["status"] = "parity.trace/1.0", "complete"
        f["steps"] = [1, 2, 3]
        f["channels/loss"] = [1.0, 2.0, 3.0]
        f[W] = np.zeros(2, "f4")
        change(f)
)";

class HostileTraceTest : public RecordedTest {
 protected:
  void expect_refused(const std::string& file, const std::string& part) const {
    SCOPED_TRACE(file);
    EXPECT_THAT([&] { Trace::open(folder / (file + ".h5")); }, ThrowsMessage<UserError>(HasSubstr(part)));
  }
};

TEST_F(HostileTraceTest, EachIsRefusedWithItsReason) {
  const CommandResult run = run_python(folder, write_cases, folder.string());
  ASSERT_EQ(run.status, 0) << run.output;
  expect_refused("no_schema", "no attribute schema");
  expect_refused("other_major", "its schema is parity.trace/2.0, expected parity.trace/1.x");
  expect_refused("schema_number", "expected one string");
  expect_refused("bad_status", "status is 'done'");
  expect_refused("bad_config", "config is not a JSON object");
  expect_refused("no_steps", "no dataset steps");
  expect_refused("equal_steps", "/steps does not increase from 1: row 2 has 2");
  expect_refused("step_zero", "/steps does not increase from 1: row 0 has 0");
  expect_refused("float_steps", "expected integers");
  expect_refused("wrong_last_step", "last_step is 9, but /steps ends at 3");
  expect_refused("no_channels", "no group channels");
  expect_refused("short_channel", "channel loss has 2 values for 3 steps");
  expect_refused("long_channel", "channel loss has 4 values for 3 steps");
  expect_refused("text_channel", "expected floating-point numbers");
  expect_refused("matrix_channel", "channel loss is not a list of numbers");
  expect_refused("large_unsigned", "channels/loss (18446744073709551615 does not fit into int64)");
  const Trace widest = Trace::open(folder / "small_unsigned.h5");
  EXPECT_EQ(std::get<std::vector<int64_t>>(widest.channels().at("loss").values).back(), INT64_MAX);
  expect_refused("bad_kind", "kind 'secret'");
  expect_refused("gzip", "compressed or filtered");
  expect_refused("shuffle_tensor", "compressed or filtered");
  expect_refused("external", "data in another file");
  expect_refused("virtual", "virtual dataset");
  expect_refused("soft_link", "'other' in /channels is a soft link");
  expect_refused("external_link", "is an external link");
  expect_refused("root_link", "'channels' in / is a soft link");
  expect_refused("unwritten", "bytes, but the file has");
  expect_refused("unwritten_contiguous", "the rest was never written");
  expect_refused("overflow", "more elements than a file can hold");
  expect_refused("compound", "HDF5 type is not supported");
  expect_refused("lying_dtype", "does not match its dtype float64");
  expect_refused("unknown_dtype", "unknown dtype 'float31' (did you mean");
  expect_refused("unknown_phase", "unknown phase 'after'");
  expect_refused("bad_step_group", "/tensors/01 is not a step number");
  expect_refused("cycle", "unknown phase '1'");
  expect_refused("root_in_itself", "unknown phase 'channels'");
  expect_refused("tensor_twice", "two of its tensors are called 'w'");
  expect_refused("channel_twice", "two of its channels are called 'loss'");
  expect_refused("deep_config", "config is not a JSON object");
  expect_refused("list_config", "config is not a JSON object");
  expect_refused("huge_dimension", "bytes, but the file has");
  expect_refused("bad_encoding", "cannot decode the name");
  expect_refused("dataset_for_group", "cannot open group 2");
  expect_refused("sketches_incomplete", "no dataset values");
}

TEST_F(HostileTraceTest, MissingFilesAndOtherFilesSaySo) {
  expect_refused("absent", "No such file");
  write_file(folder / "text.h5", "not HDF5 at all");
  expect_refused("text", "it is not an HDF5 file");
  write_file(folder / "empty.h5", "");
  expect_refused("empty", "it is not an HDF5 file");
  EXPECT_THAT([&] { Trace::open(folder); }, ThrowsMessage<UserError>(HasSubstr("neither trace.h5")));
}

TEST_F(HostileTraceTest, WhatAnEndedRunLeftIsNamed) {
  write_file(folder / "killed.h5.partial", "");
  EXPECT_THAT([&] { Trace::open(folder / "killed.h5"); },
              ThrowsMessage<UserError>(AllOf(HasSubstr("killed.h5.partial"), HasSubstr("--partial"))));
}

TEST_F(HostileTraceTest, ATraceCutShortAnywhereIsRefused) {
  Recorder recorder(options());
  record(recorder, 1, 3);
  recorder.finish();
  const std::string whole = read_file(trace_path());
  for (size_t size = 0; size < whole.size(); size += 997) {
    write_file(folder / "cut.h5", std::string_view(whole).substr(0, size));
    EXPECT_THROW(Trace::open(folder / "cut.h5"), UserError) << size;
  }
}

TEST_F(HostileTraceTest, AFlippedByteNeverCrashesTheReader) {
  Recorder recorder(options());
  record(recorder, 1, 2);
  recorder.finish();
  const std::string whole = read_file(trace_path());
  size_t refused = 0;
  for (size_t at = 0; at < 4096; at += 37) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0xFF);
    write_file(folder / "damaged.h5", damaged);
    try {
      const Trace trace = Trace::open(folder / "damaged.h5");
      for (const TensorKey& key : trace.tensors())
        measure::digest_of(trace.tensor(key));
    } catch (const UserError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace parity::trace
