// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "reference/dcp/metadata_pickle.hpp"

#include <utility>

#include <fmt/format.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "reference/dcp/pickle/read_pickle.hpp"
#include "reference/dcp/pickle/write_pickle.hpp"

namespace parity::reference {
namespace {

using Kind = PickleValue::Kind;
using Sizes = std::vector<int64_t>;

constexpr const char* module_name = "torch.distributed.checkpoint.metadata";
constexpr const char* storage_module = "torch.distributed.checkpoint.filesystem";
constexpr const char* version = "1.0.0";  // CURRENT_DCP_VERSION

/// Returns whether a value is an object of a class, whatever its module.
bool is_object_of(const PickleValue& value, std::string_view name) {
  return value.kind == Kind::object && value.callee->kind == Kind::global &&
         value.callee->text.ends_with("." + std::string(name));
}

/// Returns a field of an object's state. \throws FormatError without one
const PickleValue& field(const PickleValue& object, const char* name) {
  const PickleValue* found = object.state == nullptr ? nullptr : object.state->find(name);
  if (found == nullptr)
    throw FormatError(fmt::format("an object of the metadata has no field {}", name));
  return *found;
}

/// \throws FormatError unless the value is an object of this class
void require_object(const PickleValue& value, const char* name) {
  if (!is_object_of(value, name))
    throw FormatError(fmt::format("the metadata have another value in place of a {}", name));
}

/// Returns the entries of a dictionary. \throws FormatError for another value
const auto& entries_of(const PickleValue& value, const char* what) {
  if (value.kind != Kind::dict)
    throw FormatError(fmt::format("{} is not a dictionary", what));
  return value.entries;
}

int64_t whole_number(const PickleValue& value, const char* what) {
  if (value.kind != Kind::integer || value.integer < 0)
    throw FormatError(fmt::format("{} is not a count", what));
  return value.integer;
}

const std::string& text_of(const PickleValue& value, const char* what) {
  if (value.kind != Kind::text)
    throw FormatError(fmt::format("{} is not a text", what));
  return value.text;
}

/// Reads a torch.Size: a call with one tuple.
Sizes sizes_of(const PickleValue& value) {
  require_object(value, "Size");
  const std::vector<const PickleValue*>& arguments = value.arguments->items;
  if (arguments.size() != 1 || arguments[0]->kind != Kind::list)
    throw FormatError("a torch.Size has no tuple");
  Sizes result;
  for (const PickleValue* item : arguments[0]->items)
    result.push_back(whole_number(*item, "a size"));
  return result;
}

/// Reads the dtype of a TensorProperties, whose state is a tuple that begins with it.
std::string dtype_of(const PickleValue& value) {
  require_object(value, "TensorProperties");
  const bool is_tuple = value.state != nullptr && value.state->kind == Kind::list;
  if (!is_tuple || value.state->items.empty() || value.state->items[0]->kind != Kind::global)
    throw FormatError("a tensor has no dtype");
  const std::string& name = value.state->items[0]->text;
  if (!name.starts_with("torch."))
    throw FormatError(fmt::format("{} is not a dtype", parity::quoted(name)));
  return name.substr(std::string_view("torch.").size());
}

struct Place {
  std::string file;
  int64_t position = 0, length = 0;
};
using Places = std::map<std::pair<std::string, Sizes>, Place>;

bool is_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

/// Reads where the bytes of each chunk are, by name and offsets. An entry that is no tensor has no offsets.
Places places_of(const PickleValue& metadata) {
  Places places;
  for (const auto& [key, value] : entries_of(field(metadata, "storage_data"), "storage_data")) {
    require_object(*key, "MetadataIndex");
    require_object(*value, "_StorageInfo");
    const PickleValue& index = *key;
    const PickleValue& info = *value;
    const PickleValue* transforms =
        info.state == nullptr ? nullptr : info.state->find("transform_descriptors");
    const std::string& name = text_of(field(index, "fqn"), "a name");
    if (transforms != nullptr && !transforms->items.empty())
      throw FormatError(fmt::format("{} is compressed or transformed", parity::quoted(name)));
    const PickleValue* offset = index.state->find("offset");
    const bool is_tensor = offset != nullptr && offset->kind != Kind::none;
    Place place{text_of(field(info, "relative_path"), "a path"),
                whole_number(field(info, "offset"), "the position of a chunk"),
                whole_number(field(info, "length"), "the length of a chunk")};
    if (!is_file_name(place.file))
      throw FormatError(
          fmt::format("{} is not the name of a file in the folder", parity::quoted(place.file)));
    if (is_tensor && !places.emplace(std::pair(name, sizes_of(*offset)), std::move(place)).second)
      throw FormatError(fmt::format("a chunk of {} has two places", parity::quoted(name)));
  }
  return places;
}

DcpTensor tensor_of(const std::string& name, const PickleValue& value, const Places& places) {
  DcpTensor tensor{dtype_of(field(value, "properties")), sizes_of(field(value, "size")), {}};
  const PickleValue& chunks = field(value, "chunks");
  if (chunks.kind != Kind::list)
    throw FormatError(fmt::format("{} has no list of chunks", parity::quoted(name)));
  for (const PickleValue* item : chunks.items) {
    require_object(*item, "ChunkStorageMetadata");
    const Sizes offsets = sizes_of(field(*item, "offsets"));
    const auto place = places.find({name, offsets});
    if (place == places.end())
      throw FormatError(fmt::format("a chunk of {} is in no file", parity::quoted(name)));
    tensor.chunks.push_back({offsets, sizes_of(field(*item, "sizes")), place->second.file,
                             place->second.position, place->second.length});
  }
  check_chunks(name, tensor);
  return tensor;
}

void write_sizes(PickleWriter& to, const Sizes& sizes) {
  to.call("torch", "Size", [&] {
    to.tuple([&] {
      for (const int64_t size : sizes)
        to.integer(size);
    });
  });
}

/// Writes the properties that PyTorch gives to a dense tensor on the CPU.
void write_properties(PickleWriter& to, const std::string& dtype) {
  to.object(module_name, "TensorProperties", [&] {
    to.tuple([&] {
      to.global("torch", dtype);
      to.call("torch.serialization", "_get_layout", [&] { to.text("torch.strided"); });
      to.boolean(false);  // requires_grad
      to.call(module_name, "_MEM_FORMAT_ENCODING", [&] { to.integer(0); });
      to.boolean(false);  // pin_memory
    });
  });
}

void write_tensor(PickleWriter& to, const DcpTensor& tensor) {
  to.object(module_name, "TensorStorageMetadata", [&] {
    to.dict([&] {
      to.text("properties"), write_properties(to, tensor.dtype);
      to.text("size"), write_sizes(to, tensor.shape);
      to.text("chunks"), to.list([&] {
        for (const DcpChunk& chunk : tensor.chunks)
          to.object(module_name, "ChunkStorageMetadata", [&] {
            to.dict([&] {
              to.text("offsets"), write_sizes(to, chunk.offsets);
              to.text("sizes"), write_sizes(to, chunk.sizes);
            });
          });
      });
    });
  });
}

void write_place(PickleWriter& to, const std::string& name, const DcpChunk& chunk, size_t index) {
  to.object(module_name, "MetadataIndex", [&] {
    to.dict([&] {
      to.text("fqn"), to.text(name);
      to.text("offset"), write_sizes(to, chunk.offsets);
      to.text("index"), to.integer(static_cast<int64_t>(index));
    });
  });
  to.object(storage_module, "_StorageInfo", [&] {
    to.dict([&] {
      to.text("relative_path"), to.text(chunk.file);
      to.text("offset"), to.integer(chunk.position);
      to.text("length"), to.integer(chunk.length);
    });
  });
}

void write_storage_meta(PickleWriter& to, const std::string& save_id) {
  to.object(module_name, "StorageMeta", [&] {
    to.dict([&] {
      to.text("checkpoint_id"), to.none();
      to.text("save_id"), to.text(save_id);
      to.text("load_id"), to.none();
      to.text("modules"), to.list([] {});
    });
  });
}

}  // namespace

DcpMetadata read_dcp_metadata(std::string_view bytes) {
  const Pickle pickle = read_pickle(bytes);
  require_object(*pickle.root, "Metadata");
  const PickleValue& root = *pickle.root;
  const Places places = places_of(root);
  DcpMetadata result;
  for (const auto& [key, value] : entries_of(field(root, "state_dict_metadata"), "state_dict_metadata")) {
    const std::string& name = text_of(*key, "a name");
    if (!is_object_of(*value, "TensorStorageMetadata"))
      result.others.push_back(name);
    else if (!result.tensors.emplace(name, tensor_of(name, *value, places)).second)
      throw FormatError(fmt::format("{} is there twice", parity::quoted(name)));
  }
  const PickleValue* meta = root.state->find("storage_meta");
  const PickleValue* id = meta == nullptr || meta->state == nullptr ? nullptr : meta->state->find("save_id");
  if (id != nullptr && id->kind == Kind::text)
    result.save_id = id->text;
  return result;
}

std::string write_dcp_metadata(const DcpMetadata& metadata) {
  PickleWriter to;
  to.object(module_name, "Metadata", [&] {
    to.dict([&] {
      to.text("state_dict_metadata"), to.dict([&] {
        for (const auto& [name, tensor] : metadata.tensors)
          to.text(name), write_tensor(to, tensor);
      });
      to.text("planner_data"), to.dict([&] {  // where a nested dictionary has each name
        for (const auto& each : metadata.tensors)
          to.text(each.first), to.tuple([&] { to.text(each.first); });
      });
      to.text("storage_data"), to.dict([&] {
        for (const auto& [name, tensor] : metadata.tensors)
          for (size_t i = 0; i < tensor.chunks.size(); ++i)
            write_place(to, name, tensor.chunks[i], i);
      });
      to.text("storage_meta"), write_storage_meta(to, metadata.save_id);
      to.text("version"), to.text(version);
    });
  });
  return to.finish();
}

}  // namespace parity::reference
