// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <parity/recorder.h>

#include "tests/support/traces/recorded.hpp"

extern "C" int record_from_c(const char* path);
extern "C" int misuse_from_c(const char* path);
extern "C" int record_rank_from_c(const char* path, int64_t rank);

namespace parity {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CAbiTest : public RecordedTest {};

TEST_F(CAbiTest, ATraceRecordedFromCIsRead) {
  ASSERT_EQ(record_from_c(trace_path().c_str()), 0) << parity_recorder_last_error();
  const trace::Trace trace = trace::Trace::open(trace_path());
  EXPECT_TRUE(trace.complete());
  EXPECT_EQ(trace.config(), Json({{"steps", 2}}));
  EXPECT_THAT(trace.channels().at("loss").as_double(), ElementsAre(1.0, 0.5));
  EXPECT_THAT(trace.channels().at("valid_tokens").as_double(), ElementsAre(7, 7));
  EXPECT_EQ(trace.channels().at("step_seconds").kind, trace::ChannelKind::timing);
  EXPECT_THAT(values_of<float>(trace.tensor({2, trace::Phase::param, "w"})),
              ElementsAre(1.0F, -2.0F, 0.5F, 4.0F));
}

TEST_F(CAbiTest, ErrorsComeBackAsStatusAndText) {
  EXPECT_EQ(misuse_from_c(trace_path().c_str()), 1);
  EXPECT_THAT(parity_recorder_last_error(), HasSubstr("unknown phase 'gard' (did you mean 'grad'?)"));
  write_file(folder / "file", "x");
  const std::string below = (folder / "file" / "trace.h5").string();
  EXPECT_EQ(parity_recorder_open(below.c_str(), nullptr, nullptr, nullptr, 0), nullptr);
  EXPECT_THAT(parity_recorder_last_error(), HasSubstr(below));
  EXPECT_EQ(parity_recorder_open(trace_path().c_str(), "[1]", nullptr, nullptr, 0), nullptr);
  EXPECT_THAT(parity_recorder_last_error(), HasSubstr("config is not a JSON object"));
}

TEST_F(CAbiTest, ACallOutOfOrderIsOurOwnExitStatus) {
  parity_recorder* recorder = parity_recorder_open(trace_path().c_str(), nullptr, nullptr, nullptr, 0);
  ASSERT_NE(recorder, nullptr);
  EXPECT_EQ(parity_recorder_end_step(recorder), 70);
  EXPECT_EQ(parity_recorder_begin_step(recorder, 2), 0);
  EXPECT_EQ(parity_recorder_end_step(recorder), 0);
  EXPECT_EQ(parity_recorder_begin_step(recorder, 1), 2);
  parity_recorder_close(recorder);
  EXPECT_FALSE(trace::Trace::open(folder).complete());
}

TEST_F(CAbiTest, TwoRanksInC_Finish_OneLogicalTensor) {
  for (const int64_t rank : {1, 0})
    ASSERT_EQ(record_rank_from_c(trace_path().c_str(), rank), 0) << parity_recorder_last_error();
  const trace::Trace trace = trace::Trace::open(trace_path());
  EXPECT_TRUE(trace.complete());
  EXPECT_EQ(trace.ranks(), 2);
  const TensorView whole = trace.tensor({1, trace::Phase::param, "w"});
  EXPECT_EQ(whole.shape, Shape({2, 3}));
  EXPECT_THAT(values_of<float>(whole), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(trace.channels().at("peak_bytes").as_double(), ElementsAre(101));
  EXPECT_THAT(trace.channels().at("peak_bytes.min").as_double(), ElementsAre(100));
}

TEST_F(CAbiTest, Versions_Loaded_AreThoseOfTheHeaders) {
  EXPECT_EQ(parity_recorder_abi(), PARITY_RECORDER_ABI);
  EXPECT_STREQ(parity_recorder_version(), PARITY_VERSION_STRING);
}

/// Options of a later version of the header, which has one more member.
struct LaterOptions {
  parity_recorder_options known;
  int64_t added;
};

TEST_F(CAbiTest, LaterStruct_NewMemberZero_IsAccepted) {
  const std::string path = trace_path().string();
  LaterOptions options = {};
  options.known.struct_size = sizeof options;
  options.known.path = path.c_str();
  parity_recorder* recorder = parity_recorder_open_with(&options.known);
  EXPECT_NE(recorder, nullptr) << parity_recorder_last_error();
  parity_recorder_close(recorder);
  options.added = 1;
  EXPECT_EQ(parity_recorder_open_with(&options.known), nullptr);
  EXPECT_THAT(parity_recorder_last_error(), HasSubstr("sets a member that parity"));
}

TEST_F(CAbiTest, StructSize_Impossible_IsRefused) {
  parity_recorder_options options = {};
  EXPECT_EQ(parity_recorder_open_with(&options), nullptr);
  EXPECT_THAT(parity_recorder_last_error(), HasSubstr("parity_recorder_options.struct_size is 0"));
  options.struct_size = SIZE_MAX;
  EXPECT_EQ(parity_recorder_open_with(&options), nullptr);
  EXPECT_THAT(parity_recorder_last_error(), HasSubstr("possible are 72 to 4096"));
  EXPECT_EQ(parity_recorder_open_with(nullptr), nullptr);
}

TEST_F(CAbiTest, Options_WrongRankOrCapture_AreRefused) {
  const std::string path = trace_path().string();
  parity_recorder_options options = {};
  options.struct_size = sizeof options;
  EXPECT_EQ(parity_recorder_open_with(&options), nullptr);
  EXPECT_THAT(parity_recorder_last_error(), HasSubstr("path is NULL"));
  options.path = path.c_str();
  options.rank = 2;
  options.ranks = 2;
  EXPECT_EQ(parity_recorder_open_with(&options), nullptr);
  EXPECT_THAT(parity_recorder_last_error(), HasSubstr("rank 2 of 2 does not exist"));
  options.rank = 1;
  options.capture = "{}";
  options.capture_file = "capture.json";
  EXPECT_EQ(parity_recorder_open_with(&options), nullptr);
  EXPECT_THAT(parity_recorder_last_error(), HasSubstr("both capture and capture_file"));
}

TEST_F(CAbiTest, MissingArguments_AnyFunction_Status2) {
  EXPECT_EQ(parity_recorder_begin_step(nullptr, 1), 2);
  EXPECT_EQ(parity_recorder_wants_id(nullptr, 1), -1);
  EXPECT_EQ(parity_recorder_intern(nullptr, "grad", "w"), -1);
  EXPECT_EQ(parity_recorder_offer(nullptr, nullptr), 2);
  parity_recorder* recorder = parity_recorder_open(trace_path().c_str(), nullptr, nullptr, nullptr, 0);
  ASSERT_NE(recorder, nullptr);
  ASSERT_EQ(parity_recorder_begin_step(recorder, 1), 0);
  EXPECT_EQ(parity_recorder_offer(recorder, nullptr), 2);
  EXPECT_EQ(parity_recorder_offer_dlpack(recorder, nullptr, nullptr), 2);
  EXPECT_EQ(parity_recorder_value_f64(recorder, nullptr, 1, 0), 2);
  EXPECT_EQ(parity_recorder_value_f64(recorder, "loss", 1, 3), 2);
  EXPECT_EQ(parity_recorder_wants(recorder, "grad", nullptr), -1);
  EXPECT_EQ(parity_recorder_wants_id(recorder, 7), -1);
  EXPECT_EQ(parity_recorder_tensor(recorder, "grad", "w", "float32", 1, nullptr, nullptr), 2);
  parity_recorder_close(recorder);
  parity_recorder_close(nullptr);
}

}  // namespace
}  // namespace parity
