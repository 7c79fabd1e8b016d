// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/golden/floors_group.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "harness/base/json/fields.hpp"
#include "harness/trace/hdf5/hdf5.hpp"
#include "harness/trace/hdf5/path_name.hpp"

namespace parity::golden {
using hdf5::Handle;
namespace {

std::vector<std::string> all_quantities(const compare::Floors& floors) {
  std::vector<std::string> names;
  for (const auto& [arm, measured] : floors.arms)
    for (const std::string& name : measured.quantities())
      if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

/// Writes names padded with zeros to the length of the longest one.
void write_names(hid_t group, const std::vector<std::string>& names) {
  size_t width = 1;
  for (const std::string& name : names)
    width = std::max(width, name.size());
  std::string text(names.size() * width, '\0');
  for (size_t i = 0; i < names.size(); ++i)
    names[i].copy(text.data() + i * width, width);
  hdf5::write_contiguous(group, "quantities", hdf5::fixed_string_type(width),
                         {static_cast<int64_t>(names.size())}, text.data());
}

void write_arm_floors(hid_t group, const compare::ArmFloors& arm, const std::vector<std::string>& names,
                      size_t kinds) {
  std::vector<int64_t> quantity, step;
  std::vector<double> scale, noise;
  for (const compare::FloorRow& row : arm.rows) {
    quantity.push_back(std::lower_bound(names.begin(), names.end(), row.quantity) - names.begin());
    step.push_back(row.step);
    scale.push_back(row.scale);
    noise.insert(noise.end(), row.noise.begin(), row.noise.end());
  }
  const auto rows = static_cast<int64_t>(arm.rows.size());
  hdf5::write_attribute(group, "config", arm.config.dump());
  hdf5::write_contiguous(group, "quantity", H5T_STD_I64LE, {rows}, quantity.data());
  hdf5::write_contiguous(group, "step", H5T_STD_I64LE, {rows}, step.data());
  hdf5::write_contiguous(group, "scale", H5T_IEEE_F64LE, {rows}, scale.data());
  hdf5::write_contiguous(group, "noise", H5T_IEEE_F64LE, {rows, static_cast<int64_t>(kinds)}, noise.data());
}

Json json_of(const trace::InputFile& file, hid_t object, const std::string& name) {
  Json json = parity::read_json(hdf5::read_string_attribute(object, name).value_or(""));
  if (json.is_discarded())
    file.refuse(fmt::format("attribute {} of {} is not JSON", name, hdf5::path_of(object)));
  return json;
}

compare::ArmFloors read_arm_floors(const trace::InputFile& file, hid_t group,
                                   const std::vector<std::string>& names, size_t kinds) {
  compare::ArmFloors arm;
  arm.config = json_of(file, group, "config");
  const std::vector<int64_t> quantity = hdf5::read_integers(file.dataset(group, "quantity"));
  const std::vector<int64_t> step = hdf5::read_integers(file.dataset(group, "step"));
  const std::vector<double> scale = hdf5::read_floats(file.dataset(group, "scale"));
  const std::vector<double> noise = hdf5::read_floats(file.dataset(group, "noise"));
  const size_t rows = quantity.size();
  if (step.size() != rows || scale.size() != rows || noise.size() != rows * kinds)
    file.refuse(fmt::format("the columns of {} differ in length", hdf5::path_of(group)));
  for (size_t i = 0; i < rows; ++i) {
    if (quantity[i] < 0 || quantity[i] >= static_cast<int64_t>(names.size()))
      file.refuse(fmt::format("a row of {} names no quantity", hdf5::path_of(group)));
    const auto first = noise.begin() + static_cast<std::ptrdiff_t>(i * kinds);
    arm.rows.push_back({names[static_cast<size_t>(quantity[i])],
                        step[i],
                        scale[i],
                        {first, first + static_cast<std::ptrdiff_t>(kinds)}});
  }
  return arm;
}

}  // namespace

void write_floors(hid_t file, const compare::Floors& floors) {
  const Handle group = hdf5::create_group(file, "floors");
  Json evidence = floors.evidence;
  evidence["kinds"] = floors.kinds;
  hdf5::write_attribute(group, "evidence", evidence.dump());
  const std::vector<std::string> names = all_quantities(floors);
  write_names(group, names);
  const Handle arms = hdf5::create_group(group, "arms");
  for (const auto& [name, arm] : floors.arms)
    write_arm_floors(hdf5::create_group(arms, trace::encode_name(name)), arm, names, floors.kinds.size());
}

compare::Floors read_floors(const trace::InputFile& file) {
  compare::Floors floors;
  if (!file.has(file.root(), "floors"))
    return floors;
  const Handle group = file.group(file.root(), "floors");
  floors.evidence = json_of(file, group, "evidence");
  if (!has_strings(floors.evidence, "kinds"))
    file.refuse("the evidence of its floors names no kinds");
  floors.kinds = floors.evidence.at("kinds").get<std::vector<std::string>>();
  const std::vector<std::string> names = hdf5::read_strings(file.dataset(group, "quantities"));
  const Handle arms = file.group(group, "arms");
  for (const std::string& link : file.names(arms))
    floors.arms.emplace(trace::decode_name(link),
                        read_arm_floors(file, file.group(arms, link), names, floors.kinds.size()));
  return floors;
}

}  // namespace parity::golden
