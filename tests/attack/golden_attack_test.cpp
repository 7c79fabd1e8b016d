// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
//
// Goldens: a damaged run against a golden, and a run against a golden of a damaged run, here and in another
// environment. Then every object of a golden file, damaged.
#include <array>
#include <cstdio>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/text/glob.hpp"
#include "tests/attack/world_mutation.hpp"
#include "tests/fuzz/hdf5_objects.hpp"
#include "tests/support/traces/golden_runs.hpp"

namespace parity::attack {
namespace {
namespace fs = std::filesystem;

using hdf5::Handle;

enum class Environment { same, another };
enum class Spoilt { run, golden };

/// A run of one arm and its float64 twin.
struct TwinnedRun {
  PlantedRun run, twin;

  bool operator==(const TwinnedRun&) const = default;
};

struct GoldenAttack {
  Environment environment;
  Spoilt spoilt;
  bool of_tensors;
};

/// A mutation that a golden may accept.
struct HarmlessForGolden {
  std::string_view mutation;
  std::string_view reason;
  bool (*applies)(const GoldenAttack& attack);
};

constexpr std::string_view not_kept = "a golden keeps tensors of the first and the last update";

constexpr std::array harmless = {
    HarmlessForGolden{"*twin*", "the bits agree, so no twin is asked",
                      [](const GoldenAttack& each) { return each.environment == Environment::same; }},
    HarmlessForGolden{"no quantity in the twin*", "a golden keeps no twins of tensors",
                      [](const GoldenAttack& each) { return each.of_tensors; }},
    HarmlessForGolden{"a twin 5 % off*", "a golden keeps no twins of tensors",
                      [](const GoldenAttack& each) { return each.of_tensors; }},
    HarmlessForGolden{"* at step 5 of a", not_kept, [](const GoldenAttack& each) { return each.of_tensors; }},
};

std::string_view reason_for_golden(const GoldenAttack& attack, const std::string& mutation) {
  for (const HarmlessForGolden& row : harmless)
    if (row.applies(attack) && glob_match(std::string(row.mutation), mutation))
      return row.reason;
  return "";
}

class GoldenAttackTest : public PlantedTest, public testing::WithParamInterface<GoldenAttack> {
 protected:
  static TwinnedRun run_of(const RelationWorld& world, const std::string& arm) {
    return {world.runs.at(arm), world.twins.at(arm)};
  }
  /// An arm and another run of it, with the same bits or with rounding differences.
  static RelationWorld whole_world() {
    RelationWorld world = world_of(compare::Relation::equivalent, GetParam().of_tensors);
    world.check.arms = {"a"};
    return world;
  }

  /// Returns whether a golden of one run accepts another run. A rejected golden accepts none.
  bool holds(const TwinnedRun& recorded, const TwinnedRun& run) {
    const fs::path file = folder / "golden.h5";
    const bool same = GetParam().environment == Environment::same;
    try {
      if (!(recorded_ == recorded)) {
        recorded_.reset();
        fs::remove(file);
        golden::record_golden(file, {"topic/case", "parity 0", "c1", "parity golden record"},
                              {{"a", evidence("recorded", recorded, "AuthenticAMD")}});
        recorded_ = recorded;
      }
      const auto found = verify_golden(golden::stored_golden(file),
                                       {{"a", evidence("run", run, same ? "AuthenticAMD" : "GenuineIntel")}});
      return !found.empty() &&
             std::ranges::all_of(found, [](const golden::GoldenResult& each) { return each.result.passed; });
    } catch (const UserError&) {
      return false;
    }
  }
  bool holds_of(const TwinnedRun& attacked, const TwinnedRun& other) {
    return GetParam().spoilt == Spoilt::run ? holds(other, attacked) : holds(attacked, other);
  }
  TwinnedRun other_of(const RelationWorld& world) const {
    return run_of(world, GetParam().environment == Environment::same ? "a" : "b");
  }

 private:
  compare::ArmEvidence evidence(const std::string& name, TwinnedRun planted, const std::string& cpu) {
    planted.run.provenance = {{"fingerprint", {{"cpu_vendor", cpu}}}};
    compare::ArmEvidence evidence;
    evidence.trace = written(name, planted.run);
    evidence.twin = written(name + ".twin", planted.twin);
    return evidence;
  }

  std::optional<TwinnedRun> recorded_;  ///< in the golden
};

TEST_P(GoldenAttackTest, HoldsOfAWholeRun) {
  const RelationWorld world = whole_world();
  EXPECT_TRUE(holds_of(run_of(world, "a"), other_of(world)));
}

TEST_P(GoldenAttackTest, FailsOnASpoiltRun) {
  const RelationWorld world = whole_world();
  const TwinnedRun whole = run_of(world, "a"), other = other_of(world);
  int tried = 0, held = 0;
  for (const WorldMutation& mutation : world_mutations()) {
    RelationWorld spoilt = world;
    if (mutation.harm == Harm::question || !mutation.apply(spoilt) || run_of(spoilt, "a") == whole)
      continue;
    SCOPED_TRACE(mutation.name);
    const bool passed = holds_of(run_of(spoilt, "a"), other);
    ++tried;
    held += passed ? 1 : 0;
    EXPECT_TRUE(!passed || !reason_for_golden(GetParam(), mutation.name).empty());
  }
  std::printf("%d mutations, %d of them harmless\n", tried, held);
  EXPECT_GT(tried, 25);
}

INSTANTIATE_TEST_SUITE_P(Goldens, GoldenAttackTest,
                         testing::Values(GoldenAttack{Environment::same, Spoilt::run, false},
                                         GoldenAttack{Environment::same, Spoilt::run, true},
                                         GoldenAttack{Environment::same, Spoilt::golden, false},
                                         GoldenAttack{Environment::same, Spoilt::golden, true},
                                         GoldenAttack{Environment::another, Spoilt::run, false},
                                         GoldenAttack{Environment::another, Spoilt::run, true},
                                         GoldenAttack{Environment::another, Spoilt::golden, false},
                                         GoldenAttack{Environment::another, Spoilt::golden, true}),
                         [](const auto& each) {
                           return std::string(each.param.spoilt == Spoilt::run ? "run" : "golden") +
                                  (each.param.environment == Environment::same ? "_here" : "_elsewhere") +
                                  (each.param.of_tensors ? "_of_tensors" : "_of_channels");
                         });

Handle open_golden(const fs::path& path) {
  return {H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), "cannot open the golden"};
}

/// Damages an object of a golden file. \return false if there is nothing to damage
using ObjectChange = bool (*)(hid_t file, const std::string& path, H5O_type_t type);

bool delete_object(hid_t file, const std::string& path, H5O_type_t) {
  return path != "/" && H5Ldelete(file, path.c_str(), H5P_DEFAULT) >= 0;
}

bool flip_first_byte(hid_t file, const std::string& path, H5O_type_t type) {
  if (type != H5O_TYPE_DATASET)
    return false;
  const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), "cannot open " + path);
  fuzz::StoredBytes bytes = fuzz::read_dataset(dataset);
  if (bytes.data.empty() || H5Tis_variable_str(bytes.type) > 0)
    return false;
  bytes.data[0] ^= 1;
  return H5Dwrite(dataset, bytes.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data.data()) >= 0;
}

bool delete_attributes(hid_t file, const std::string& path, H5O_type_t) {
  const Handle object(H5Oopen(file, path.c_str(), H5P_DEFAULT), "cannot open " + path);
  const std::vector<std::string> names = fuzz::attributes_of(object);
  for (const std::string& name : names)
    hdf5::check(H5Adelete(object, name.c_str()), "cannot delete " + name);
  return !names.empty();
}

/// A golden with floors and evidence: everything that a file can contain.
class GoldenFileAttackTest : public GoldenTest {
 protected:
  void SetUp() override {
    GoldenTest::SetUp();
    ASSERT_TRUE(record());
    compare::Floors floors;
    floors.kinds = {"order"};
    floors.arms["one_indexed"].rows.push_back({"loss", 1, 8, {1e-6}});
    golden::record_floors(file, {"lr/warmup", "parity 0", "c1", "parity floors"}, floors);
    whole_ = folder / "whole.h5";
    fs::copy_file(file, whole_);
    ASSERT_TRUE(golden::stored_golden(file).golden) << golden::stored_golden(file).problem;
  }

  std::vector<std::pair<std::string, H5O_type_t>> objects() const {
    const auto lock = hdf5::lock();
    auto found = fuzz::objects_of(open_golden(whole_));
    found.emplace_back("/", H5O_TYPE_GROUP);
    return found;
  }

  /// \return the number of objects that were damaged
  int spoil_each(ObjectChange change) {
    int tried = 0;
    for (const auto& [path, type] : objects()) {
      fs::copy_file(whole_, file, fs::copy_options::overwrite_existing);
      {
        const auto lock = hdf5::lock();
        if (!change(open_golden(file), path, type))
          continue;
      }
      SCOPED_TRACE(path);
      EXPECT_FALSE(golden::stored_golden(file).golden) << "a spoilt golden was taken";
      ++tried;
    }
    return tried;
  }

 private:
  fs::path whole_;
};

TEST_F(GoldenFileAttackTest, NoneWithoutAnObject) {
  EXPECT_GT(spoil_each(delete_object), 30);
}

TEST_F(GoldenFileAttackTest, NoneWithAByteOfADataset) {
  EXPECT_GT(spoil_each(flip_first_byte), 20);
}

TEST_F(GoldenFileAttackTest, NoneWithoutAttributes) {
  EXPECT_GE(spoil_each(delete_attributes), 4);
}

}  // namespace
}  // namespace parity::attack
