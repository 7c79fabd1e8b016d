// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/format/layout_json.hpp"

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/tensor/part.hpp"
#include "harness/tensor/shape.hpp"

namespace parity::trace {
namespace {

Json placement_json(const Placement& placement) {
  Json json = {{"mesh", placement.mesh_dimension},
               {"coordinate", placement.coordinate},
               {"size", placement.size},
               {"kind", "replicate"}};
  if (const auto* shard = std::get_if<Shard>(&placement.kind)) {
    json["kind"] = "shard";
    json["dim"] = shard->dim;
    json["ranges"] = Json::array();
    for (const IndexRange& range : shard->ranges)
      json["ranges"].push_back({range.first, range.end});
  }
  if (const auto* partial = std::get_if<Partial>(&placement.kind))
    json["kind"] = partial->reduction == Partial::Reduction::sum ? "sum" : "avg";
  return json;
}

Placement placement_of(const Json& json) {
  Placement placement = {json.at("mesh").get<std::string>(), json.at("coordinate").get<int64_t>(),
                         json.at("size").get<int64_t>(), Replicate{}};
  const auto kind = json.at("kind").get<std::string>();
  if (kind == "shard") {
    Shard shard{json.at("dim").get<int64_t>(), {}};
    for (const Json& range : json.at("ranges"))
      shard.ranges.push_back({range.at(0).get<int64_t>(), range.at(1).get<int64_t>()});
    placement.kind = std::move(shard);
  } else if (kind == "sum" || kind == "avg") {
    placement.kind = Partial{kind == "sum" ? Partial::Reduction::sum : Partial::Reduction::avg};
  } else if (kind != "replicate") {
    throw UserError(
        fmt::format("unknown placement {}; known: replicate, shard, sum, avg", parity::quoted(kind)));
  }
  return placement;
}

}  // namespace

Json to_json(const TensorLayout& layout) {
  Json placements = Json::array();
  for (const Placement& placement : layout.placements)
    placements.push_back(placement_json(placement));
  return {{"global_shape", layout.global_shape}, {"placements", placements}};
}

TensorLayout layout_from_json(const Json& json) {
  TensorLayout layout;
  try {
    layout.global_shape = json.at("global_shape").get<std::vector<int64_t>>();
    for (const Json& placement : json.at("placements"))
      layout.placements.push_back(placement_of(placement));
  } catch (const Json::exception& error) {
    throw UserError(
        fmt::format("cannot read a tensor's layout ({}); see harness/trace/FORMAT.md", error.what()));
  }
  int64_t count = 1;
  for (const int64_t size : layout.global_shape)
    if (size < 0 || __builtin_mul_overflow(count, size, &count))
      throw UserError(
          fmt::format("cannot read a tensor's layout (impossible shape {})", to_string(layout.global_shape)));
  static_cast<void>(cover_of(layout));  // rejects an invalid layout
  return layout;
}

}  // namespace parity::trace
