// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/comm/device_mesh.hpp"

#include <set>

#include <gmock/gmock.h>

#include "harness/base/error.hpp"

namespace parity::reference {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Names = std::vector<std::string>;

const DeviceMesh& mesh() {
  static const DeviceMesh mesh({{"pp", 2}, {"dp_replicate", 1}, {"dp_shard", 2}, {"tp", 2}}, 8);
  return mesh;
}

TEST(DeviceMeshTest, TheLastDimensionRunsFastest) {
  EXPECT_EQ(mesh().coordinate(5, "pp"), 1);
  EXPECT_EQ(mesh().coordinate(5, "dp_shard"), 0);
  EXPECT_EQ(mesh().coordinate(5, "tp"), 1);
}

TEST(DeviceMeshTest, AGroupDiffersInItsDimensionsOnly) {
  EXPECT_THAT(mesh().group(5, Names{"tp"}), ElementsAre(4, 5));
  EXPECT_THAT(mesh().group(5, Names{"dp_shard"}), ElementsAre(5, 7));
  EXPECT_THAT(mesh().group(5, Names{"pp"}), ElementsAre(1, 5));
  EXPECT_THAT(mesh().group(5, Names{"dp_replicate"}), ElementsAre(5));
  EXPECT_THAT(mesh().group(5, Names{"tp", "dp_shard"}), ElementsAre(4, 5, 6, 7))
      << "flattened in the mesh's order";
  EXPECT_EQ(mesh().size(Names{"pp", "tp"}), 4);
}

TEST(DeviceMeshTest, GroupsPartTheWorld) {
  for (const Names& names : {Names{"tp"}, Names{"pp", "dp_shard"}, Names{}}) {
    std::set<std::vector<int64_t>> groups;
    size_t members = 0;
    for (int64_t rank = 0; rank < 8; ++rank)
      if (groups.insert(mesh().group(rank, names)).second)
        members += mesh().group(rank, names).size();
    EXPECT_EQ(members, 8U);
    EXPECT_EQ(groups.size(), static_cast<size_t>(8 / mesh().size(names)));
  }
}

TEST(DeviceMeshTest, SizesMustFitTheWorld) {
  const auto complaint = [](std::vector<MeshDimension> dimensions, int64_t world) -> std::string {
    try {
      DeviceMesh(std::move(dimensions), world);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(complaint({{"dp_replicate", 2}, {"tp", 2}}, 2),
              HasSubstr("a mesh of dp_replicate 2 x tp 2 has 4 ranks, and there are 2"));
  EXPECT_THAT(complaint({{"tp", 0}}, 1), HasSubstr("cannot use parallel.tp = 0 ("));
  EXPECT_EQ(complaint({{"tp", 1}}, 1), "");
  EXPECT_EQ(DeviceMesh({{"tp", 1}}, 1).text(), "1 rank");
  EXPECT_THROW(DeviceMesh({{"tp", 2}, {"tp", 1}}, 2), InternalError);
}

}  // namespace
}  // namespace parity::reference
