// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/traces/recorded.hpp"

namespace parity::bisect {

/// What a rank offers at a step.
struct RankOffer {
  trace::Phase phase;
  std::string name;
  std::vector<double> values;
  Shape shape = {-1};
  DType dtype = DType::float32;
  TensorLayout layout = {};
};

/// Tests that record sides of several ranks.
class SideRanksTest : public RecordedTest {
 protected:
  /// Returns what a rank offers at a step.
  using Offers = std::function<std::vector<RankOffer>(int64_t rank, int64_t step)>;

  /// Steps 0 to 2 of a run with these ranks. Step 0 has no channel.
  trace::Trace side(const std::string& name, int64_t ranks, const Offers& offers,
                    const std::function<double(int64_t rank, int64_t step)>& loss = {}) const {
    for (int64_t rank = ranks - 1; rank >= 0; --rank) {
      trace::Recorder::Options how = options(name + "/trace.h5");
      how.rank = rank;
      how.ranks = ranks;
      trace::Recorder recorder(std::move(how));
      for (int64_t step = 0; step <= 2; ++step) {
        recorder.begin_step(step);
        for (const RankOffer& offer : offers(rank, step))
          put(recorder, offer);
        if (step > 0)
          recorder.channel("loss", loss ? loss(rank, step) : 1.0 / static_cast<double>(step));
        recorder.end_step();
      }
      recorder.finish();
    }
    return trace::Trace::open(folder / name);
  }

  /// The operators' tensor of a rank; ranks of a run of one have no number.
  static std::string operator_name(const std::string& name, int64_t rank, int64_t ranks) {
    return ranks == 1 ? name : name + "#" + std::to_string(rank);
  }

 private:
  static void put(trace::Recorder& recorder, const RankOffer& offer) {
    const auto offer_as = [&]<class T>(T) {
      const std::vector<T> values(offer.values.begin(), offer.values.end());
      recorder.tensor(offer.phase, offer.name, view_of(offer.dtype, values, offer.shape), nullptr,
                      offer.layout);
    };
    if (offer.dtype == DType::float64)
      offer_as(double{});
    else if (offer.dtype == DType::int64)
      offer_as(int64_t{});
    else
      offer_as(float{});
  }
};

}  // namespace parity::bisect
