// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// A run's folder that parity serves to ranks that do not see it: whole files, by key, and nothing outside it.
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "harness/base/error.hpp"
#include "harness/base/files/file.hpp"
#include "harness/base/host_name.hpp"
#include "harness/suite/launch/far/client.hpp"
#include "harness/suite/launch/far/far_rank.hpp"
#include "harness/suite/launch/far/served_folder.hpp"
#include "harness/suite/launch/far/server.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"
#include "tests/harness/suite/suite_fixture.hpp"
#include "tests/support/scratch.hpp"

namespace parity::suite {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  } catch (const ConnectionLost& error) {
    return std::string("lost: ") + error.what();
  }
  return "";
}

class FarTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    ::setenv("PARITY_ADDRESS", "127.0.0.1", 1);
    fs::create_directories(run_ = folder / "run");
    fs::create_directories(here_ = folder / "here");
    server_ = std::make_unique<FarServer>(run_, 2);
  }
  void TearDown() override {
    server_.reset();
    ::unsetenv("PARITY_ADDRESS");
    FolderTest::TearDown();
  }
  std::unique_ptr<FarClient> client() const { return std::make_unique<FarClient>(server_->place()); }
  std::set<int> lost_soon() const {
    for (int i = 0; i < 500 && server_->lost().empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return server_->lost();
  }
  static std::string long_text() {
    std::string text;
    for (int i = 0; text.size() < 2 * piece_of_messages + 7; ++i)
      text += std::to_string(i);
    return text;
  }

  fs::path run_, here_;
  std::unique_ptr<FarServer> server_;
};

TEST_F(FarTest, SmallFiles_AreThoseOfTheFolder) {
  const auto parity = client();
  EXPECT_EQ(parity->read("launch.0/rank.1.json"), std::nullopt);
  parity->write("launch.0/rank.1.json", "{}");
  EXPECT_EQ(read_file(run_ / "launch.0/rank.1.json"), "{}");
  EXPECT_EQ(parity->read("launch.0/rank.1.json"), "{}");
  EXPECT_TRUE(parity->claim("rank.1.claim"));
  EXPECT_FALSE(client()->claim("rank.1.claim"));
  write_file(run_ / "long", long_text());
  EXPECT_EQ(parity->read("long"), long_text());
  EXPECT_THAT(parity->list(), UnorderedElementsAre("launch.0/rank.1.json", "rank.1.claim", "long"));
}

TEST_F(FarTest, Files_ArriveWhole) {
  const auto parity = client();
  for (const std::string& text : {std::string(), std::string("a"), long_text()}) {
    write_file(here_ / "trace.rank1.h5", text);
    std::vector<uint64_t> progress;
    const CollectedFile sent = parity->send(here_ / "trace.rank1.h5", "trace.rank1.h5",
                                            [&](uint64_t done) { progress.push_back(done); });
    EXPECT_EQ(read_file(run_ / "trace.rank1.h5"), text);
    EXPECT_EQ(missing_part(run_, to_json({sent})), "");
    EXPECT_EQ(progress.empty() ? 0 : progress.back(), text.size());
    parity->fetch("trace.rank1.h5", here_ / "back");
    EXPECT_EQ(read_file(here_ / "back"), text);
  }
  EXPECT_THAT(parity->list(), ElementsAre("trace.rank1.h5"));
  EXPECT_THAT(error_of([&] { parity->fetch("none", here_ / "none"); }), HasSubstr("cannot fetch none"));
  EXPECT_FALSE(fs::exists(here_ / "none"));
}

TEST_F(FarTest, FileWithOtherBytes_IsNotKept) {
  const std::string digest = content_hash("whole");
  for (const auto& [bytes, size] : {std::pair("whale", 5), {"who", 5}, {"whole", 6}}) {
    answer_for_folder(run_, {{{"append", "trace.h5.arriving"}}, bytes});
    const Message answer =
        answer_for_folder(run_, {{{"keep", "trace.h5"}, {"size", size}, {"digest", digest}}});
    EXPECT_THAT(answer.head.value("problem", ""), HasSubstr("arrived with other bytes")) << bytes;
    EXPECT_TRUE(fs::is_empty(run_)) << bytes;
  }
  answer_for_folder(run_, {{{"append", "trace.h5.arriving"}}, "who"});
  answer_for_folder(run_, {{{"append", "trace.h5.arriving"}}, "le"});
  EXPECT_TRUE(
      answer_for_folder(run_, {{{"keep", "trace.h5"}, {"size", 5}, {"digest", digest}}}).head.empty());
  EXPECT_EQ(read_file(run_ / "trace.h5"), "whole");
}

TEST_F(FarTest, NamesThatLeaveTheFolder_AreRefused) {
  write_file(folder / "secret", "s");
  for (const char* name : {"../secret", "/etc/passwd", "", "a/../../secret", ".hidden", "a/", "x\n"})
    for (const char* what : {"read", "write", "claim", "append", "keep", "remove"})
      EXPECT_THAT(answer_for_folder(run_, {{{what, name}}, "x"}).head.value("problem", ""),
                  HasSubstr("not the name of a file of a run"))
          << what << " " << name;
  EXPECT_EQ(read_file(folder / "secret"), "s");
  EXPECT_TRUE(fs::is_empty(run_));
}

TEST_F(FarTest, ProcessWithAnotherKey_IsRefused) {
  FarPlace place = server_->place();
  place.key = std::string(32, '0');
  EXPECT_THAT(error_of([&] { FarClient other(place); }), HasSubstr("the key is that of another run"));
  EXPECT_EQ(parse_far_place(server_->place().text()).key, server_->place().key);
  for (const char* text : {"", "node-a", "node-a:1", "node-a:x/k", "node-a:70000/k", ":1/0123"})
    EXPECT_THAT(error_of([&] { parse_far_place(text); }), HasSubstr("not ADDRESS:PORT/KEY")) << text;
}

TEST_F(FarTest, RankWhoseConnectionEnds_IsLost) {
  client()->be_rank(0);
  EXPECT_THAT(lost_soon(), ElementsAre(0));
}

TEST_F(FarTest, RankThatSaysItEnded_IsNotLost) {
  const auto ends = client();
  ends->be_rank(1);
  ends->end();
  client()->be_rank(0);
  EXPECT_THAT(lost_soon(), ElementsAre(0));
}

TEST_F(FarTest, EndOfParity_IsSeenByAQuietRank) {
  const auto parity = client();
  FarRank rank(*parity, run_, here_ / "run", 1);
  rank.pass_on();
  server_->close();
  EXPECT_THAT(error_of([&] { rank.pass_on(); }), HasSubstr("lost: "));
  EXPECT_THAT(error_of([&] { client(); }),
              AllOf(HasSubstr("cannot reach parity at 127.0.0.1:"), HasSubstr("from " + host_name())));
}

TEST_F(FarTest, LogsAndHeartbeat_ArePassedOnAsTheyGrow) {
  const auto parity = client();
  FarRank rank(*parity, run_, here_ / "run", 1);
  ProcessSpec spec;
  spec.argv = {"train", (run_ / "config.json").string()};
  spec.environment = {{"PARITY_HEARTBEAT", (run_ / "heartbeat.1.json").string()}};
  spec.stdout_file = run_ / "stdout.rank1";
  spec.stderr_file = run_ / "stderr.rank1";
  write_file(run_ / "config.json", "{}");
  rank.prepare(spec);
  EXPECT_EQ(read_file(spec.argv.back()), "{}");
  EXPECT_EQ(fs::path(spec.argv.back()).parent_path(), here_ / "run");
  EXPECT_EQ(spec.stdout_file.parent_path(), here_ / "run");
  for (const char* text : {"one", "one two"}) {
    write_file(spec.environment.at("PARITY_HEARTBEAT"), text);
    write_file(spec.stdout_file, text);
    rank.pass_on();
    EXPECT_EQ(read_file(run_ / "heartbeat.1.json"), text);
    EXPECT_EQ(read_file(run_ / "stdout.rank1"), text);
  }
  write_file(here_ / "run/checkpoint/checkpoint.pt", "saved");
  EXPECT_EQ(rank.send_rest().size(), 1U);
  EXPECT_EQ(read_file(run_ / "checkpoint/checkpoint.pt"), "saved");
}

}  // namespace
}  // namespace parity::suite
