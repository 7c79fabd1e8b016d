// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/read/tensor_index.hpp"

#include <charconv>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/trace/hdf5/element_type.hpp"
#include "harness/trace/hdf5/path_name.hpp"

namespace parity::trace {
namespace {

using hdf5::Handle;

/// Returns the step of a group name such as "0", "1" or "12"; rejects every other form.
int64_t parse_step(const InputFile& file, const std::string& text) {
  int64_t step = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step);
  if (error != std::errc() || end != text.data() + text.size() || step < 0 || std::to_string(step) != text)
    file.refuse("/tensors/" + text + " is not a step number");
  return step;
}

TensorPlace read_part(const InputFile& file, hid_t tensor, const TensorKey& key, const std::string& name) {
  TensorPlace place;
  const Handle part = file.dataset(tensor, name);
  place.shape = hdf5::shape_of(part);
  const auto whole = hdf5::read_integers_attribute(part, "global_shape");
  if (name == part_name) {
    place.in_parts = true;
    place.layout = hdf5::read_integer_attribute(part, "layout");
  } else if (whole && *whole != place.shape) {
    place.in_parts = true;
    return place;
  }
  place.dtype = dtype_of(part, hdf5::read_string_attribute(part, "dtype"));
  place.order = hdf5::read_integer_attribute(part, "order").value_or(0);
  const Handle type = element_type(place.dtype);
  const Handle stored(H5Dget_type(part), "cannot read the type of tensor " + key.name);
  const auto offset = file.offset(part);
  if (offset && *offset % size_of(place.dtype) == 0 && H5Tequal(stored, type) > 0) {
    place.offset = offset;
    return place;
  }
  place.bytes.resize(static_cast<size_t>(element_count(place.shape)) * size_of(place.dtype));
  if (!place.bytes.empty())
    hdf5::check(H5Dread(part, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, place.bytes.data()),
                "cannot read tensor " + key.name + " of " + file.path().string());
  return place;
}

}  // namespace

std::map<TensorKey, TensorPlace> read_tensor_index(const InputFile& file, std::optional<int64_t> last_step) {
  std::map<TensorKey, TensorPlace> index;
  if (!file.has(file.root(), "tensors"))
    return index;
  const Handle tensors = file.group(file.root(), "tensors");
  for (const std::string& step_name : file.names(tensors)) {
    const int64_t step = parse_step(file, step_name);
    if (last_step && step > *last_step)
      continue;
    const Handle phases = file.group(tensors, step_name);
    for (const std::string& phase_name : file.names(phases)) {
      const auto phase = parse_enum<Phase>(phase_name);
      const Handle names = file.group(phases, phase_name);
      for (const std::string& name : file.names(names)) {
        const TensorKey key{step, phase, decode_name(name)};
        const Handle tensor = file.group(names, name);
        const std::vector<std::string> parts = file.names(tensor);
        bool is_new = !index.contains(key);
        if (parts == std::vector<std::string>{whole_name})
          is_new = index.emplace(key, read_part(file, tensor, key, whole_name)).second;
        else if (parts == std::vector<std::string>{part_name})
          is_new = index.emplace(key, read_part(file, tensor, key, part_name)).second;
        else
          index[key].in_parts = true;
        if (!is_new)
          file.refuse(
              fmt::format("two of its tensors are called '{}': one name is encoded needlessly", key.name));
      }
    }
  }
  return index;
}

}  // namespace parity::trace
