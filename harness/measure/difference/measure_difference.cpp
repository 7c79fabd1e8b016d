// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/measure/difference/measure_difference.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <vector>

#include "harness/base/processes/cores.hpp"
#include "harness/measure/difference/block.hpp"
#include "harness/measure/difference/repair.hpp"
#include "harness/measure/lanes/number.hpp"
#include "harness/measure/lanes/share_work.hpp"
#include "harness/tensor/conversions.hpp"

namespace parity::measure {
namespace {

/// Number of elements that a thread processes at a time.
constexpr int64_t stretch_size = difference_stretch;
constexpr int64_t wave = 256;  ///< stretches whose results are in memory at a time
constexpr int64_t fewest = 4;  ///< stretches that make a thread worthwhile
/// Stretches that are reported as done together. Releasing pages one stretch at a time costs more than the
/// pass over them, because each release updates all threads' view of the memory.
constexpr int64_t group = 8;

/// Elements of both sides, and the place for the results.
struct Stretch {
  const std::byte* expected;
  const std::byte* actual;
  int64_t first;
  int64_t count;
  DifferencePolicy policy;
  /// The needed_rtol of other stretches; smaller quotients need not be searched for.
  double known_rtol;
  ProfileTally* profile;  ///< null: no profile
};

/// Adds integers that a double may not hold exactly; their distances are still exact.
template <class E>
void add_large_integers(const ElementBlock& b, DifferenceTally& total) {
  DifferenceTally t;
  for (size_t i = 0; i < b.count; ++i) {
    const auto e_bits = E::load(b.expected, i), a_bits = E::load(b.actual, i);
    const auto e = static_cast<double>(E::key(e_bits)), a = static_cast<double>(E::key(a_bits));
    const auto error = static_cast<double>(E::steps(e_bits, a_bits));
    t.error_squares += error * error;
    t.expected_squares += e * e;
    t.actual_squares += a * a;
    t.product += e * a;
    t.max_expected = std::max(t.max_expected, std::fabs(e));
    t.needed_rtol = std::max(t.needed_rtol, error_ratio(error, std::fabs(e)));
    if (error > t.max_abs_error) {
      t.max_abs_error = error;
      t.largest = b.first + static_cast<int64_t>(i);
    }
  }
  total.add(t);
}

/// Adds each element of a block to a profile. Not inlined into the kernels, of which there are many.
template <class E>
[[gnu::noinline]] void add_to_profile(const ElementBlock& b, size_t count, const RepairedBlock<E>* repaired,
                                      const Stretch& stretch, ProfileTally& profile) {
  std::array<uint64_t, ElementBlock::most> steps;
  std::array<double, ElementBlock::most> expected_squares, error_squares;
  std::array<uint8_t, ElementBlock::most> differs;
  E::widen(b.expected, b.count, expected_squares.data());
  E::widen(b.actual, b.count, error_squares.data());
  for (size_t i = 0; i < count; ++i) {
    const double gap = error_squares[i] - expected_squares[i];
    error_squares[i] = gap * gap;
    expected_squares[i] *= expected_squares[i];
  }
  for (size_t i = 0; i < count; ++i) {
    const auto e = E::load(b.expected, i), a = E::load(b.actual, i);
    steps[i] = E::steps(e, a);
    differs[i] = e != a;
  }
  std::span<const uint16_t> nans;
  if (repaired) {
    nans = {repaired->nans.data(), repaired->nan_count};
    const int64_t offset = b.first - stretch.first;
    for (size_t k = 0; k < repaired->infinity_count; ++k) {
      const size_t i = repaired->infinities[k];
      steps[i] = E::steps(E::load(stretch.expected, static_cast<size_t>(offset) + i),
                          E::load(stretch.actual, static_cast<size_t>(offset) + i));
      differs[i] = 1;
    }
    for (const uint16_t i : nans)
      differs[i] = 1;
  }
  profile.add(
      {b.first, count, steps.data(), error_squares.data(), expected_squares.data(), differs.data(), nans});
}

template <class E>
struct MeasureStretch {
  template <size_t width>
  DifferenceTally operator()(const Stretch* stretch) const {
    const Stretch& s = *stretch;
    DifferenceTally t;
    t.needed_rtol = s.known_rtol;
    RepairedBlock<E> repaired;
    DecodedBlock<E> decoded;
    bool far = false;  // whether the last block's sides were far apart
    const auto count = static_cast<size_t>(s.count);
    for (size_t first = 0; first < count; first += ElementBlock::most) {
      const size_t here = std::min(ElementBlock::most, count - first);
      ElementBlock b{s.expected + first * E::size, s.actual + first * E::size, here,
                     s.first + static_cast<int64_t>(first)};
      const bool partial = here % simd::pack_bytes != 0;
      const auto use_copy = [&] {
        repaired.copy(b.expected, b.actual, here);
        b = {(const std::byte*)repaired.expected.data(), (const std::byte*)repaired.actual.data(),
             repaired.padded(here), b.first};
      };
      if (partial)
        use_copy();
      const size_t after = std::min(first + ElementBlock::most, count) * E::size;
      const Ahead next{s.expected + after, s.actual + after, E::size};
      BlockBits<E> bits = compare_bits<E, width>(b, next, far);
      const bool changed = E::floating && (!bits.regular || !s.policy.strict());
      if (changed) {
        if (!partial)
          use_copy();
        repaired.repair(s.policy, here, b.first, t);
        bits = compare_bits<E, width>(b, next, far);
      }
      add_block<width>(b, bits, next, decoded, t);
      if (s.profile)
        add_to_profile<E>(b, here, changed ? &repaired : nullptr, s, *s.profile);
    }
    return t;
  }

 private:
  template <size_t width>
  static void add_block(const ElementBlock& b, const BlockBits<E>& bits, const Ahead& next,
                        DecodedBlock<E>& decoded, DifferenceTally& t) {
    t.up.add(bits.up[0], bits.up[1]);
    t.down.add(bits.down[0], bits.down[1]);
    t.max_ulp = std::max<uint64_t>(t.max_ulp, bits.most);
    t.differing += static_cast<int64_t>(bits.differing);
    if (bits.differing > 0 && t.first_other < 0) {
      size_t i = 0;
      while (E::load(b.expected, i) == E::load(b.actual, i))
        ++i;
      t.first_other = b.first + static_cast<int64_t>(i);
    }
    if (!E::floating && !bits.regular)
      return add_large_integers<E>(b, t);
    const BlockValues<E, width> values(decoded.decode(b, bits.most > 0));
    if (bits.most > 0)
      values.add(bits, next, t);
    else
      values.add_equal(bits, next, t);
  }
};

/// Measures two whole tensors, stretch by stretch.
class Measuring {
 public:
  Measuring(const TensorView& expected, const TensorView& actual, const DifferenceOptions& options)
      : expected_(expected), actual_(actual), options_(options) {
    if (options.profile && expected.size() > 0)
      profile_.emplace(expected.shape, 0);
  }

  DifferenceTally run() {
    const int64_t stretches = (expected_.size() + stretch_size - 1) / stretch_size;
    const int cores = options_.threads > 0 ? options_.threads : core_count();
    DifferenceTally total;
    for (int64_t begin = 0; begin < stretches; begin += wave) {
      const int64_t here = std::min(wave, stretches - begin);
      std::vector<DifferenceTally> found(static_cast<size_t>(here));
      std::vector<std::unique_ptr<ProfileTally>> profiles(static_cast<size_t>(here));
      std::vector<DigestPair> digests(options_.digests ? static_cast<size_t>(here) : 0);
      const auto threads = static_cast<int>(std::clamp<int64_t>(here / fewest, 1, cores));
      const int64_t size = std::clamp<int64_t>(here / (fewest * threads), 1, group);
      share_work((here + size - 1) / size, threads, [&](int64_t g) {
        const int64_t end = std::min((g + 1) * size, here);
        for (int64_t i = g * size; i < end; ++i) {
          const auto at = static_cast<size_t>(i);
          found[at] = measure((begin + i) * stretch_size, profiles[at]);
          if (options_.digests)  // now, while the bytes are in this core's cache
            digests[at] = digests_at((begin + i) * stretch_size);
        }
        print_done((begin + g * size) * stretch_size, (begin + end) * stretch_size);
      });
      for (const DifferenceTally& each : found)
        total.add(each);
      for (const auto& each : profiles)
        if (each)
          profile_->add(*each);
      for (const DigestPair& each : digests)
        digests_ += each;
    }
    return total;
  }

  std::optional<DifferenceProfile> profile() {
    return profile_ ? std::optional(profile_->take()) : std::nullopt;
  }

  std::optional<DigestPair> digests() const {
    return options_.digests ? std::optional(digests_) : std::nullopt;
  }

 private:
  DigestPair digests_at(int64_t first) const {
    const int64_t count = std::min(stretch_size, expected_.size() - first);
    return digests_of_part(expected_, actual_, first, count);
  }

  DifferenceTally measure(int64_t first, std::unique_ptr<ProfileTally>& profile) {
    const size_t element = size_of(expected_.dtype), offset = static_cast<size_t>(first) * element;
    const int64_t count = std::min(stretch_size, expected_.size() - first);
    if (profile_)
      profile = std::make_unique<ProfileTally>(expected_.shape, first);
    const Stretch stretch{static_cast<const std::byte*>(expected_.data) + offset,
                          static_cast<const std::byte*>(actual_.data) + offset,
                          first,
                          count,
                          options_.policy,
                          known_rtol_,
                          profile.get()};
    const DifferenceTally found = with_element(
        expected_.dtype, [&]<class E>(E) { return simd::run_packed(MeasureStretch<E>{}, &stretch); });
    for (double known = known_rtol_; known < found.needed_rtol;)
      known_rtol_.compare_exchange_weak(known, found.needed_rtol);
    return found;
  }

  /// Reports the elements [first, end), cut at the tensor's end, as done.
  void print_done(int64_t first, int64_t end) const {
    if (!options_.done)
      return;
    const size_t element = size_of(expected_.dtype), offset = static_cast<size_t>(first) * element;
    const size_t bytes = static_cast<size_t>(std::min(end, expected_.size()) - first) * element;
    for (const void* side : {expected_.data, actual_.data})
      options_.done(static_cast<const std::byte*>(side) + offset, bytes);
  }

  const TensorView& expected_;
  const TensorView& actual_;
  const DifferenceOptions& options_;
  std::optional<ProfileTally> profile_;
  DigestPair digests_;
  /// Largest needed_rtol so far. A stretch that starts with it evaluates fewer quotients. The final maximum
  /// does not depend on the order of the stretches.
  std::atomic<double> known_rtol_ = 0;
};

}  // namespace

Difference measure_difference(const TensorView& expected, const TensorView& actual,
                              const DifferenceOptions& options) {
  require_alike(expected, actual);
  Measuring measuring(expected, actual, options);
  const DifferenceTally t = measuring.run();
  Difference result = finish_difference(t, expected.size());
  result.profile = measuring.profile();
  result.digests = measuring.digests();
  if (result.worst_index >= 0) {
    const size_t at = static_cast<size_t>(result.worst_index) * size_of(expected.dtype);
    result.worst_expected = widen(expected.dtype, static_cast<const std::byte*>(expected.data) + at);
    result.worst_actual = widen(actual.dtype, static_cast<const std::byte*>(actual.data) + at);
  }
  return result;
}

}  // namespace parity::measure
