// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/parallel/pipeline/schedule.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace parity::reference {
namespace {

using testing::ElementsAreArray;

/// "F0 F1 B0": passes with their piece, followed by ".2" if they are not of the rank's first stage.
std::string text_of(const std::vector<PipelineAction>& actions, int64_t rank) {
  std::string text;
  for (const auto& [stage, piece, work] : actions)
    text += fmt::format("{}{}{}{}", text.empty() ? "" : " ", work == PipelineWork::forward ? "F" : "B", piece,
                        stage == rank ? "" : fmt::format(".{}", stage));
  return text;
}

/// Every rank's actions, run with one slot per pass: a receive waits for its send, and for nothing else.
struct Played {
  bool ends = false;
  int64_t slots = 0;                  ///< until the last rank is done
  std::vector<int64_t> held_at_most;  ///< pieces of each rank with a forward and no backward pass yet
};

Played play(const PipelineShape& shape, const std::vector<std::vector<PipelineAction>>& ranks) {
  std::map<std::tuple<int64_t, int64_t, PipelineWork>, int64_t> done_in;
  std::vector<size_t> next(ranks.size(), 0);
  std::vector<int64_t> held(ranks.size(), 0);
  Played played{false, 0, held};
  const auto came_before = [&](int64_t stage, int64_t piece, PipelineWork work, int64_t slot) {
    const auto found = done_in.find({stage, piece, work});
    return found != done_in.end() && found->second < slot;
  };
  const auto can_run = [&](const PipelineAction& action, int64_t slot) {
    const auto& [stage, piece, work] = action;
    if (work == PipelineWork::forward)
      return stage == 0 || came_before(stage - 1, piece, work, slot);
    return came_before(stage, piece, PipelineWork::forward, slot) &&
           (stage == shape.stages() - 1 || came_before(stage + 1, piece, work, slot));
  };
  for (int64_t slot = 0; slot < 1000; ++slot) {
    bool all_done = true;
    for (size_t rank = 0; rank < ranks.size(); ++rank) {
      if (next[rank] == ranks[rank].size())
        continue;
      all_done = false;
      const PipelineAction& action = ranks[rank][next[rank]];
      if (!can_run(action, slot))
        continue;
      ++next[rank];
      done_in[{action.stage, action.piece, action.work}] = slot;
      held[rank] += action.work == PipelineWork::forward ? 1 : -1;
      played.held_at_most[rank] = std::max(played.held_at_most[rank], held[rank]);
    }
    if (all_done) {
      played.ends = true;
      played.slots = slot;
      return played;
    }
  }
  return played;
}

Played play(const PipelineShape& shape) {
  std::vector<std::vector<PipelineAction>> ranks;
  for (int64_t rank = 0; rank < shape.ranks; ++rank)
    ranks.push_back(actions_of(shape, rank));
  return play(shape, ranks);
}

/// All shapes of up to 4 ranks, 3 stages each and 9 pieces that a config can have.
std::vector<PipelineShape> all_shapes() {
  std::vector<PipelineShape> shapes;
  for (int64_t ranks = 2; ranks <= 4; ++ranks)
    for (int64_t pieces = 1; pieces <= 9; ++pieces) {
      shapes.push_back({PipelineSchedule::gpipe, ranks, 1, pieces});
      shapes.push_back({PipelineSchedule::one_forward_one_backward, ranks, 1, pieces});
      for (int64_t stages = 2; stages <= 3; ++stages)
        if (pieces % std::max<int64_t>(1, pieces / ranks) == 0)
          shapes.push_back({PipelineSchedule::interleaved, ranks, stages, pieces});
    }
  return shapes;
}

std::string describe(const PipelineShape& shape) {
  return fmt::format("{} on {} ranks, {} stages each, {} pieces", name_of(shape.schedule), shape.ranks,
                     shape.stages_per_rank, shape.pieces);
}

TEST(PipelineScheduleTest, IsWhatThePapersDraw) {
  const PipelineShape gpipe = {PipelineSchedule::gpipe, 2, 1, 3};
  EXPECT_EQ(text_of(actions_of(gpipe, 0), 0), "F0 F1 F2 B0 B1 B2");
  EXPECT_EQ(text_of(actions_of(gpipe, 1), 1), "F0 F1 F2 B0 B1 B2");
  const PipelineShape alternating = {PipelineSchedule::one_forward_one_backward, 3, 1, 4};
  EXPECT_EQ(text_of(actions_of(alternating, 0), 0), "F0 F1 F2 B0 F3 B1 B2 B3");
  EXPECT_EQ(text_of(actions_of(alternating, 1), 1), "F0 F1 B0 F2 B1 F3 B2 B3");
  EXPECT_EQ(text_of(actions_of(alternating, 2), 2), "F0 B0 F1 B1 F2 B2 F3 B3");
  const PipelineShape interleaved = {PipelineSchedule::interleaved, 2, 2, 4};
  EXPECT_EQ(text_of(actions_of(interleaved, 0), 0),
            "F0 F1 F0.2 F1.2 F2 B0.2 F3 B1.2 F2.2 B0 F3.2 B1 B2.2 B3.2 B2 B3");
  EXPECT_EQ(text_of(actions_of(interleaved, 1), 1),
            "F0 F1 F0.3 B0.3 F1.3 B1.3 F2 B0 F3 B1 F2.3 B2.3 F3.3 B3.3 B2 B3");
}

TEST(PipelineScheduleTest, EveryPassComesOnceInAscendingOrderOfPieces) {
  for (const PipelineShape& shape : all_shapes())
    for (int64_t rank = 0; rank < shape.ranks; ++rank) {
      std::map<std::pair<int64_t, PipelineWork>, std::vector<int64_t>> pieces;
      for (const PipelineAction& action : actions_of(shape, rank)) {
        EXPECT_EQ(shape.rank_of(action.stage), rank) << describe(shape);
        pieces[{action.stage, action.work}].push_back(action.piece);
      }
      EXPECT_EQ(pieces.size(), static_cast<size_t>(2 * shape.stages_per_rank)) << describe(shape);
      std::vector<int64_t> ascending;
      for (int64_t piece = 0; piece < shape.pieces; ++piece)
        ascending.push_back(piece);
      for (const auto& [where, order] : pieces)
        EXPECT_THAT(order, ElementsAreArray(ascending)) << describe(shape) << ", stage " << where.first;
    }
}

TEST(PipelineScheduleTest, EverySendMeetsItsReceiveForwardAloneToo) {
  for (const PipelineShape& shape : all_shapes()) {
    EXPECT_TRUE(play(shape).ends) << describe(shape);
    std::vector<std::vector<PipelineAction>> forward;
    for (int64_t rank = 0; rank < shape.ranks; ++rank)
      forward.push_back(forward_only(actions_of(shape, rank)));
    EXPECT_TRUE(play(shape, forward).ends) << describe(shape);
  }
}

TEST(PipelineScheduleTest, RanksWaitNoLongerThanTheBubble) {
  for (const PipelineShape& shape : all_shapes()) {
    if (shape.stages_per_rank > 1 && shape.pieces % shape.ranks != 0)
      continue;  // rounds that do not fill the ranks wait longer
    const int64_t work = 2 * shape.pieces * shape.stages_per_rank;
    EXPECT_EQ(play(shape).slots, work + 2 * (shape.ranks - 1)) << describe(shape);
  }
}

TEST(PipelineScheduleTest, OneForwardOneBackward_HoldsAPiecePerStageLeft) {
  for (const PipelineShape& shape : all_shapes())
    for (int64_t rank = 0; rank < shape.ranks; ++rank) {
      const int64_t held = play(shape).held_at_most[static_cast<size_t>(rank)];
      if (shape.schedule != PipelineSchedule::interleaved) {
        const bool alternates = shape.schedule == PipelineSchedule::one_forward_one_backward;
        const int64_t left = shape.ranks - rank;
        EXPECT_EQ(held, alternates ? std::min(shape.pieces, left) : shape.pieces) << describe(shape);
      }
    }
}

TEST(PipelineScheduleTest, AStageThatWaitsForALaterPassIsSeen) {
  const PipelineShape shape = {PipelineSchedule::one_forward_one_backward, 2, 1, 2};
  std::vector<std::vector<PipelineAction>> ranks = {actions_of(shape, 0), actions_of(shape, 1)};
  std::swap(ranks[0][1], ranks[0][2]);  // B0 before F1 is fine
  EXPECT_TRUE(play(shape, ranks).ends);
  std::swap(ranks[1][0], ranks[1][1]);  // B0 before F0 is not
  EXPECT_FALSE(play(shape, ranks).ends);
}

}  // namespace
}  // namespace parity::reference
