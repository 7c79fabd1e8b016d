// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sentences.hpp"

#include <csignal>

#include "harness/measure/difference/tally.hpp"
#include "harness/trace/format/layout_json.hpp"
#include "harness/trace/hdf5/path_name.hpp"
#include "harness/trace/hdf5/probe.hpp"
#include "tests/support/traces/recorded.hpp"

namespace parity::trace {
namespace {

const std::string capture_form =
    R"(; write {"tensors": [...], "sketches": [...], "replay": false, "faults": [...]})";
const std::string fault_example =
    R"(; write for example {"kind": "scale", "steps": [3], "phase": "grad", "name": "layers.0.*", "size": 1e-6})";

/// Whole texts of the errors of harness/trace, and of harness/tensor and harness/measure below it.
class TraceSentencesTest : public RecordedTest {};

TEST_F(TraceSentencesTest, Captures) {
  const auto read = [](const char* json) { return [json] { Capture::from_json(Json::parse(json)); }; };
  expect_sentences({
      {read("[]"), "cannot use the capture (it is not a JSON object)" + capture_form},
      {read(R"({"replay": 1})"), "cannot use the capture (replay is not true or false)" + capture_form},
      {read(R"({"tensors": [{"steps": [-1]}]})"),
       "cannot use the capture (tensors[0].steps is not a list of step numbers)" + capture_form},
      {read(R"({"tensors": [{"step": [1]}]})"),
       "unknown key 'step' in tensors[0] of the capture (did you mean 'steps'?); known: steps, phases, "
       "names"},
      {read(R"({"tensor": []})"),
       "unknown key 'tensor' in the capture (did you mean 'tensors'?); known: tensors, sketches, operators, "
       "replay, micro_batches, faults, teacher"},
      {read(R"({"faults": [{"kind": "ulp"}]})"),
       "invalid fault in the capture: it has no phase" + fault_example},
      {read(R"({"faults": [{"kind": "ulp", "phase": "grad", "name": "w", "size": 1}]})"),
       "invalid fault in the capture: ulp takes no size" + fault_example},
      {read(R"({"faults": [{"kind": "ulp", "phase": "grad", "name": "w", "row": 1}]})"),
       "invalid fault in the capture: ulp changes an element, so it takes no row" + fault_example},
      {[] { fault_reports_from_json(1); },
       R"(cannot read the faults of a trace (expected a list of {"fault", "tensors", "elements", "changed", )"
       R"("first"}); run again)"},
  });
}

TEST_F(TraceSentencesTest, Tensors) {
  const std::vector<float> values = {1, 2};
  const TensorView view = view_of(DType::float32, values);
  expect_sentences({
      {[&] { measure::require_alike(view, {DType::float32, {1, 2}, values.data()}); },
       "cannot compare tensors (shapes (2) and (1, 2) differ); give tensors of one shape"},
      {[&] { measure::require_alike(view, {DType::int32, {2}, values.data()}); },
       "cannot compare tensors (dtypes float32 and int32 differ); convert one of them"},
      {[] { layout_from_json({{"global_shape", {-1}}, {"placements", Json::array()}}); },
       "cannot read a tensor's layout (impossible shape (-1))"},
      {[] {
         layout_from_json(
             {{"global_shape", {4}},
              {"placements", {{{"mesh", "tp"}, {"coordinate", 2}, {"size", 2}, {"kind", "replicate"}}}}});
       },
       "invalid layout of a tensor (coordinate 2 is outside mesh dimension tp of size 2); give the layout of "
       "this rank's shard"},
      {[] { encode_name(".."); },
       "cannot use the name '..' in a trace (HDF5 reserves it); choose another name"},
      {[] { decode_name("a%2"); },
       "cannot decode the name 'a%2' in a trace (a % needs two upper-case hexadecimal digits)"},
  });
}

TEST_F(TraceSentencesTest, Recorders) {
  const std::vector<float> values = {1, 2};
  Recorder recorder(options("other.h5"));
  recorder.begin_step(1);
  recorder.channel("loss", 1.0);
  recorder.tensor(Phase::grad, "w", view_of(DType::float32, values));
  Recorder first(options());
  record(first, 1, 2);
  first.finish();
  Recorder::Options resumed = options();
  resumed.append_after = 3;
  expect_sentences(
      {
          {[&] { recorder.channel("loss", 1.0); },
           "cannot record channel loss at step 1 (it was given twice); record one value a step"},
          {[&] { recorder.tensor(Phase::grad, "w", view_of(DType::float32, values)); },
           "cannot record tensor w of step 1, phase grad (it was offered twice); give each tensor its own "
           "name"},
          {[&] { Recorder again(resumed); },
           "cannot append to DIR/trace.h5 (it ends after step 2, the run resumes after step 3); resume from "
           "the checkpoint of that step"},
          {[&] {
             recorder.end_step();
             recorder.begin_step(1);
           },
           "cannot begin step 1 (it does not follow step 1); number steps in increasing order"},
      },
      folder);
}

TEST_F(TraceSentencesTest, Files) {
  const std::string hint = "; restore it, or write it again as harness/trace/FORMAT.md describes";
  Recorder recorder(options());
  record(recorder, 1, 1);
  recorder.finish();
  write_file(folder / "text.h5", "not HDF5");
  write_file(folder / "slow.h5", "");
  std::filesystem::create_directory(folder / "empty");
  const Trace trace = Trace::open(folder);
  expect_sentences(
      {
          {[&] { Trace::open(folder / "text.h5"); },
           "cannot read DIR/text.h5 (it is not an HDF5 file, or its beginning is damaged)" + hint},
          {[&] { Trace::open(folder / "empty"); },
           "cannot read a trace from DIR/empty (it has neither trace.h5 nor trace.h5.partial); run it first"},
          {[&] { trace.tensor({9, Phase::grad, "w"}); },
           "cannot read tensor w of step 9, phase grad, from DIR/trace.h5 (the capture of the run left it "
           "out); record it"},
          {[&] { probe(folder / "slow.h5", [] { ::raise(SIGXCPU); }); },
           "cannot read DIR/slow.h5 (HDF5 does not finish reading it: killed by signal 24 (XCPU)); the file "
           "is "
           "damaged or malicious, so write it again"},
      },
      folder);
}

}  // namespace
}  // namespace parity::trace
