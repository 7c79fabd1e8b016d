// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/format/fault.hpp"

#include <cmath>
#include <limits>
#include <set>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"
#include "harness/trace/write/fault_values.hpp"
#include "tests/support/traces/samples.hpp"

namespace parity::trace {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::ThrowsMessage;

Fault fault_of(FaultKind kind, double size = 0) {
  Fault fault;
  fault.kind = kind;
  fault.size = size;
  fault.name = "w";
  return fault;
}

/// Returns the values after the fault; `effect` receives the effect.
std::vector<float> changed(const Fault& fault, std::vector<float> values, const Shape& shape,
                           FaultEffect* effect = nullptr) {
  const FaultEffect found = change_values(fault, "w", {DType::float32, shape, values.data()}, values.data());
  if (effect)
    *effect = found;
  return values;
}

TEST(FaultTest, JsonKeepsEverything) {
  Fault fault{FaultKind::perturb, {0, 3}, Phase::param, "layers.*", 0x1p-24, ~uint64_t{0}, 1, 12, {}};
  EXPECT_EQ(Fault::from_json(fault.to_json()), fault);
  EXPECT_EQ(faults_from_json(Json::parse(to_json({fault, fault_of(FaultKind::ulp)}).dump())),
            (std::vector<Fault>{fault, fault_of(FaultKind::ulp)}));
  EXPECT_EQ(fault.text(),
            "perturb by 5.960464477539063e-08 of param layers.*, element 12, at steps 0, 3, on rank 1");
  EXPECT_EQ(fault_of(FaultKind::ulp).text(), "ulp of grad w at every step");
}

TEST(FaultTest, EachKindHasARowThatIsItsOwn) {
  ASSERT_EQ(fault_kinds().size(), names_of<FaultKind>().size());
  std::set<std::string_view> summaries;
  for (size_t i = 0; i < fault_kinds().size(); ++i) {
    EXPECT_EQ(static_cast<size_t>(fault_kinds()[i].kind), i);
    EXPECT_TRUE(summaries.insert(fault_kinds()[i].summary).second);
  }
}

TEST(FaultTest, BitFlip_ChangesOneBit) {
  Fault fault = fault_of(FaultKind::bit_flip);
  fault.element = 1;
  fault.bit = 31;
  EXPECT_EQ(Fault::from_json(fault.to_json()), fault);
  EXPECT_EQ(fault.text(), "bit_flip of grad w, element 1, bit 31, at every step");
  FaultEffect effect;
  EXPECT_THAT(changed(fault, {1, 2, 3}, {3}, &effect), ElementsAre(1, -2, 3));
  EXPECT_EQ(effect.changed, 1);
  fault.bit = 32;
  EXPECT_THAT([&] { changed(fault, {1, 2, 3}, {3}); },
              ThrowsMessage<UserError>(HasSubstr("an element of w has 32 bits")));
  fault.bit.reset();
  EXPECT_NE(changed(fault, {1, 2, 3}, {3}), (std::vector<float>{1, 2, 3}));
}

TEST(FaultTest, BitFlip_ChangesIntegersToo) {
  Fault fault = fault_of(FaultKind::bit_flip);
  fault.bit = 1;
  std::vector<int64_t> values = {5};
  change_values(fault, "w", {DType::int64, {1}, values.data()}, values.data());
  EXPECT_EQ(values.front(), 7);
}

TEST(FaultTest, JsonErrorsNameWhatIsWrong) {
  const auto refused = [](const std::string& members, const char* part) {
    EXPECT_THAT([&] { Fault::from_json(Json::parse("{" + members + "}")); },
                ThrowsMessage<UserError>(HasSubstr(part)))
        << members;
  };
  const std::string scale = R"("kind": "scale", "phase": "grad", "name": "w")";
  refused(R"("kind": "scale", "phase": "grad")", "has no name");
  refused(R"("kind": "scael", "phase": "grad", "name": "w")", "did you mean 'scale'?");
  refused(scale, "scale needs a");
  refused(scale + R"(, "size": "x")", "size is not a number");
  refused(scale + R"(, "size": 1, "step": [1])", "unknown key 'step' (did you mean 'steps'?)");
  refused(scale + R"(, "size": 1, "steps": [-1])", "steps is not an integer");
  refused(scale + R"(, "size": 1, "element": 1, "row": 1)", "an element or a row, not both");
  refused(R"("kind": "ulp", "phase": "grad", "name": "w", "size": 1)", "takes no size");
  refused(R"("kind": "ulp", "phase": "grad", "name": "w", "row": 1)", "takes no row");
  refused(R"("kind": "row_zeroed", "phase": "grad", "name": "w", "element": 1)", "takes no element");
  refused(R"("kind": "stale", "phase": "grad", "name": "w", "row": 1)", "takes no element and no row");
  refused(R"("kind": "dropped_reduction", "phase": "param", "name": "w")", "needs phase grad");
  refused(R"("kind": "ulp", "phase": "grad", "name": "w", "bit": 3)", "bit belongs to bit_flip");
  refused(R"("kind": "bit_flip", "phase": "grad", "name": "w", "bit": 64)", "at most 63");
  EXPECT_THAT([] { faults_from_json(Json::object()); }, ThrowsMessage<UserError>(HasSubstr("not a list")));
  EXPECT_THAT([] { faults_from_json({1}); }, ThrowsMessage<UserError>(HasSubstr("not an object")));
}

TEST(FaultTest, ScaleAndBf16_ReachEachElementRoundedOnce) {
  FaultEffect effect;
  EXPECT_THAT(changed(fault_of(FaultKind::scale, 0.5), {1, -2, 0, 3}, {4}, &effect),
              ElementsAre(1.5F, -3.0F, 0.0F, 4.5F));
  EXPECT_EQ(effect.elements, 4);
  EXPECT_EQ(effect.changed, 3);  // 0 stays 0
  changed(fault_of(FaultKind::scale, 1e-9), {1, -2, 0, 3}, {4}, &effect);
  EXPECT_EQ(effect.changed, 0);  // less than half an ULP
  EXPECT_THAT(changed(fault_of(FaultKind::bf16), {1, 1.001F, 1.006F}, {3}, &effect),
              ElementsAre(1.0F, 1.0F, 1.0078125F));
  EXPECT_EQ(effect.changed, 2);
}

TEST(FaultTest, PerturbGoesUpOrDownBySeedNameAndPlace) {
  const std::vector<float> ones(1000, 1.0F);
  const auto up = [&](const Fault& fault, std::string_view name) {
    std::vector<float> values = ones;
    change_values(fault, name, {DType::float32, {1000}, values.data()}, values.data());
    std::vector<bool> signs;
    for (const float value : values) {
      EXPECT_EQ(std::abs(value - 1.0F), 0.25F);
      signs.push_back(value > 1);
    }
    return signs;
  };
  Fault fault = fault_of(FaultKind::perturb, 0.25);
  const auto first = up(fault, "w");
  const auto count = std::count(first.begin(), first.end(), true);
  EXPECT_GT(count, 440);  // 500 +- 16
  EXPECT_LT(count, 560);
  EXPECT_EQ(first, up(fault, "w"));
  EXPECT_NE(first, up(fault, "v"));
  fault.seed = 1;
  EXPECT_NE(first, up(fault, "w"));
}

TEST(FaultTest, OneElement_IsTheNamedOrADrawnNonZeroOne) {
  Fault fault = fault_of(FaultKind::ulp);
  fault.element = 1;
  FaultEffect effect;
  EXPECT_THAT(changed(fault, {1, -1, 1}, {3}, &effect),
              ElementsAre(1.0F, std::nextafter(-1.0F, -2.0F), 1.0F));
  EXPECT_EQ(effect.element, 1);
  EXPECT_EQ(effect.changed, 1);
  fault = fault_of(FaultKind::sign_flip);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (fault.seed = 0; fault.seed < 20; ++fault.seed) {
    const auto values = changed(fault, {0, nan, 3, INFINITY, -0.0F}, {5}, &effect);
    EXPECT_EQ(values[2], -3.0F);
    EXPECT_EQ(effect.element, 2);
  }
  std::set<int64_t> drawn;
  for (fault.seed = 0; fault.seed < 100; ++fault.seed) {
    changed(fault, {1, 1, 1, 1}, {4}, &effect);
    drawn.insert(effect.element.value());
  }
  EXPECT_EQ(drawn.size(), 4);
  EXPECT_THAT([&] { changed(fault, {0, nan}, {2}); },
              ThrowsMessage<UserError>(HasSubstr("every element of w is 0 or not finite")));
  fault.element = 2;
  EXPECT_THAT([&] { changed(fault, {1, 1}, {2}); }, ThrowsMessage<UserError>(HasSubstr("w has 2 elements")));
}

TEST(FaultTest, ARowIsAlongTheFirstDimension) {
  Fault fault = fault_of(FaultKind::row_zeroed);
  fault.row = 1;
  EXPECT_THAT(changed(fault, {1, 2, 3, 4, 5, 6}, {3, 2}), ElementsAre(1, 2, 0, 0, 5, 6));
  fault.row = 3;
  EXPECT_THAT([&] { changed(fault, {1, 2, 3, 4, 5, 6}, {3, 2}); },
              ThrowsMessage<UserError>(HasSubstr("w has 3 rows")));
  fault.row.reset();
  FaultEffect effect;
  EXPECT_THAT(changed(fault, {0, 0, 0, 4, 0, 0}, {3, 2}, &effect), testing::Each(0.0F));
  EXPECT_EQ(effect.row, 1);  // the others have nothing to lose
  fault = fault_of(FaultKind::scale, 1);
  fault.row = 2;
  EXPECT_THAT(changed(fault, {1, 2, 3, 4, 5, 6}, {3, 2}), ElementsAre(1, 2, 3, 4, 10, 12));
}

TEST(FaultTest, HalvesChangePlacesAndTheMiddleStays) {
  FaultEffect effect;
  EXPECT_THAT(changed(fault_of(FaultKind::swapped_shard), {1, 2, 3, 4, 5, 6}, {3, 2}, &effect),
              ElementsAre(5, 6, 3, 4, 1, 2));
  EXPECT_EQ(effect.changed, 4);
  EXPECT_THAT([] { changed(fault_of(FaultKind::swapped_shard), {1, 2}, {1, 2}); },
              ThrowsMessage<UserError>(HasSubstr("halves need 2")));
}

TEST(FaultTest, Fault_ChangesFloatsOfTwoBytesOrMoreOnly) {
  for (size_t i = 0; i <= static_cast<size_t>(DType::bool8); ++i) {
    const auto dtype = static_cast<DType>(i);
    Sample sample(dtype, {1, 1, 1, 1});
    const auto apply = [&](const Fault& fault) {
      return change_values(fault, "w", sample.view, sample.bytes.data());
    };
    if (!is_floating(dtype) || size_of(dtype) < 2) {
      EXPECT_THAT([&] { apply(fault_of(FaultKind::scale, 1)); },
                  ThrowsMessage<UserError>(HasSubstr("w is " + std::string(name_of(dtype)))));
      continue;
    }
    EXPECT_EQ(apply(fault_of(FaultKind::scale, 1)).changed, 4);
    EXPECT_EQ(sample.value(3), 2);
    Fault one = fault_of(FaultKind::ulp);
    one.element = 2;
    apply(one);
    Sample expected(dtype, {2, 2, 2, 2});
    expected.next(2);
    EXPECT_EQ(sample.bytes, expected.bytes) << name_of(dtype);
  }
}

/// Columns 0 and 2 of [3, 4] on one rank, 1 and 3 on the other; along rows as well.
TEST(FaultTest, ATensorInPartsIsChangedAsItWouldBeWhole) {
  const Shape shape = {4, 4};
  std::vector<float> whole;
  for (int i = 1; i <= 16; ++i)
    whole.push_back(static_cast<float>(i));
  for (Fault fault : {fault_of(FaultKind::perturb, 0.25), fault_of(FaultKind::scale, 1)}) {
    if (fault.kind == FaultKind::scale)
      fault.row = 1;
    const std::vector<float> expected = changed(fault, whole, shape);
    int64_t reached = 0;
    for (int64_t rank = 0; rank < 2; ++rank)
      for (int64_t dim = 0; dim < 2; ++dim) {
        const TensorLayout layout{shape,
                                  {{"tp", rank, 2, Shard{dim, {{rank, rank + 1}, {rank + 2, rank + 3}}}}}};
        std::vector<float> part, part_expected;
        for (int64_t i = 0; i < 16; ++i)
          if ((dim == 0 ? i / 4 : i % 4) % 2 == rank) {
            part.push_back(whole[static_cast<size_t>(i)]);
            part_expected.push_back(expected[static_cast<size_t>(i)]);
          }
        const Shape part_shape = dim == 0 ? Shape{2, 4} : Shape{4, 2};
        reached += change_values(fault, "w", {DType::float32, part_shape, part.data()}, part.data(), layout)
                       .elements;
        EXPECT_THAT(part, ElementsAreArray(part_expected)) << fault.text() << " of rank " << rank;
      }
    EXPECT_EQ(reached, fault.row ? 8 : 32);
  }
}

}  // namespace
}  // namespace parity::trace
