// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/cases/operators/problem.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <sys/sysinfo.h>

#include "harness/base/text/escape_for_terminal.hpp"
#include "harness/base/text/nearest.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

using operators::Input;
using operators::Point;
using operators::Problem;
using operators::Size;
using operators::TensorSpec;

constexpr size_t most_points = 10'000;
constexpr int64_t most_elements = int64_t{1} << 40;

Json json_of_node(const toml::node& node) {
  if (const auto* text = node.as_string())
    return text->get();
  if (const auto* number = node.as_integer())
    return number->get();
  if (const auto* number = node.as_floating_point())
    return number->get();
  if (const auto* flag = node.as_boolean())
    return flag->get();
  Json json = nullptr;
  if (const auto* list = node.as_array()) {
    json = Json::array();
    for (const toml::node& item : *list)
      json.push_back(json_of_node(item));
  } else if (const auto* table = node.as_table()) {
    json = Json::object();
    for (const auto& [key, value] : *table)
      json[std::string(key.str())] = json_of_node(value);
  }
  return json;
}

/// Returns a size: an integer, or a symbol of the sweep.
Size read_size(const TomlTable& table, const toml::node& node, const std::vector<std::string>& symbols) {
  const Place place = table.place_of(node.source());
  if (const auto* number = node.as_integer()) {
    return {number->get()};
  }
  const auto* text = node.as_string();
  if (text == nullptr)
    table.fail(place, "a size is an integer or a symbol of the sweep");
  const std::string symbol = text->get();
  if (std::ranges::find(symbols, symbol) == symbols.end())
    table.fail(place, "the sweep has no symbol " + parity::quoted(symbol) + suggestion(symbol, symbols));
  return {0, symbol};
}

/// Reads from = "trace.h5:name". The path counts from the folder of the case.
void read_source(const TomlTable& table, TensorSpec& spec) {
  const std::string from = table.string("from");
  if (from.empty())
    return;
  const size_t colon = from.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == from.size())
    table.fail(table.place_of("from"), "'from' names a trace and a tensor in it: from = \"trace.h5:name\"");
  const fs::path folder = fs::absolute(table.file()).parent_path();
  spec.file = (folder / from.substr(0, colon)).lexically_normal().string();
  spec.from = from.substr(colon + 1);
  std::error_code error;
  if (!fs::exists(spec.file, error))
    table.fail(table.place_of("from"), "there is no trace " + escape_to_line(spec.file));
}

TensorSpec read_tensor(const TomlTable& table, const std::vector<std::string>& symbols) {
  table.allow_only({"shape", "values", "grad", "dtype", "scale", "shift", "low", "high", "ignored", "from"});
  TensorSpec spec;
  const toml::node* shape = table.raw().get("shape");
  if (shape == nullptr || !shape->is_array())
    table.fail(table.place_of("shape"), "a tensor needs a shape, such as [\"b\", 256]");
  for (const toml::node& size : *shape->as_array())
    spec.shape.push_back(read_size(table, size, symbols));
  const std::string values = table.string("values", "normal");
  spec.values =
      placed(table, table.place_of("values"), [&] { return parse_enum<operators::ValueKind>(values); });
  spec.grad = table.boolean("grad", false);
  if (table.has("dtype"))
    spec.dtype =
        placed(table, table.place_of("dtype"), [&] { return parse_enum<DType>(table.string("dtype")); });
  if (spec.grad && spec.dtype && !is_floating(*spec.dtype))
    table.fail(table.place_of("grad"), "integers have no gradient");
  spec.scale = table.number("scale", 1);
  spec.shift = table.number("shift", 0);
  for (auto [key, size] : {std::pair{"low", &spec.low}, std::pair{"high", &spec.high}})
    if (table.has(key)) {
      if (spec.values != operators::ValueKind::integers)
        table.fail(table.place_of(key), fmt::format("'{}' belongs to values = \"integers\"", key));
      *size = read_size(table, *table.raw().get(key), symbols);
    }
  if (table.has("ignored"))
    spec.ignored = table.integer("ignored", 0);
  read_source(table, spec);
  return spec;
}

Input read_input(const TomlTable& inputs, const std::string& name, const std::vector<std::string>& symbols) {
  Input input{name};
  const toml::node& node = *inputs.raw().get(name);
  const auto* list = node.as_array();
  if (node.is_table()) {
    input.tensors.push_back(read_tensor(inputs.table(name, "input '" + name + "'"), symbols));
  } else if (list != nullptr && !list->empty() && list->front().is_table()) {
    input.list = true;
    for (const toml::node& item : *list) {
      if (!item.is_table())
        inputs.fail(inputs.place_of(item.source()), "a list of tensors has a table for each");
      input.tensors.push_back(
          read_tensor(TomlTable(*item.as_table(), inputs.file(), "input '" + name + "'"), symbols));
    }
  } else {
    input.value = json_of_node(node);
  }
  return input;
}

std::vector<Input> read_inputs(const TomlTable& table, const std::vector<std::string>& symbols) {
  const TomlTable inputs = table.table("inputs", "inputs");
  std::vector<std::pair<std::pair<uint32_t, uint32_t>, std::string>> order;  // toml++ sorts keys
  for (const auto& [key, node] : inputs.raw()) {
    const auto begin = key.source().begin;
    order.push_back({{begin.line, begin.column}, std::string(key.str())});
  }
  std::ranges::sort(order);
  std::vector<Input> result;
  for (const auto& [place, name] : order)
    result.push_back(read_input(inputs, name, symbols));
  if (std::ranges::none_of(result, [](const Input& input) { return !input.tensors.empty(); }))
    table.fail(table.place_of("inputs"),
               "an operator needs an input that is a tensor: inputs.x = {shape = [16], values = \"normal\"}");
  return result;
}

/// Returns the symbols of the sweep with their values.
std::vector<std::pair<std::string, std::vector<int64_t>>> read_sweep(const TomlTable& table) {
  const TomlTable sweep = table.table("sweep", "sweep");
  std::vector<std::pair<std::string, std::vector<int64_t>>> symbols;
  for (const auto& [key, node] : sweep.raw()) {
    const std::string symbol(key.str());
    std::vector<int64_t> values =
        node.is_integer() ? std::vector{sweep.integer(symbol, 1)} : sweep.integers(symbol);
    if (values.empty() || std::ranges::any_of(values, [](int64_t size) { return size < 0; }))
      sweep.fail(sweep.place_of(symbol), fmt::format("'{}' needs a list of sizes, 0 or more", symbol));
    symbols.emplace_back(symbol, std::move(values));
  }
  return symbols;
}

/// Returns every combination of the values, the last symbol fastest, for each dtype.
std::vector<Point> combinations(const TomlTable& table,
                                const std::vector<std::pair<std::string, std::vector<int64_t>>>& symbols,
                                const std::vector<DType>& dtypes) {
  size_t count = dtypes.size();
  for (const auto& [symbol, values] : symbols)
    if (count *= values.size(); count > 1'000'000)
      table.fail(table.place_of("sweep"), "the sweep has more than 1,000,000 combinations; name fewer sizes");
  std::vector<Point> points;
  for (size_t i = 0; i < count; ++i) {
    Point point;
    size_t rest = i;
    for (size_t s = symbols.size(); s-- > 0;) {
      const auto& [symbol, values] = symbols[s];
      point.sizes[symbol] = values[rest % values.size()];
      rest /= values.size();
    }
    point.dtype = dtypes[rest];
    points.push_back(std::move(point));
  }
  return points;
}

/// Keeps `wanted` points: the first, the last, and others at steps of the golden ratio between them.
std::vector<Point> sampled(std::vector<Point> all, size_t wanted) {
  if (wanted >= all.size())
    return all;
  std::vector<bool> kept(all.size(), false);
  kept.front() = kept.back() = true;
  double place = 0;
  for (size_t count = all.size() > 1 ? 2 : 1; count < wanted;) {
    place += 0.6180339887498949;
    place -= static_cast<double>(static_cast<int64_t>(place));
    auto index = static_cast<size_t>(place * static_cast<double>(all.size()));
    while (kept[index])
      index = (index + 1) % all.size();
    kept[index] = true;
    ++count;
  }
  std::vector<Point> few;
  for (size_t i = 0; i < all.size(); ++i)
    if (kept[i])
      few.push_back(std::move(all[i]));
  return few;
}

std::vector<DType> read_dtypes(const TomlTable& table) {
  std::vector<DType> dtypes;
  for (const std::string& name :
       table.has("dtype") ? table.strings("dtype") : std::vector<std::string>{"float32"}) {
    const DType dtype = placed(table, table.place_of("dtype"), [&] { return parse_enum<DType>(name); });
    if (size_of(dtype) < 2 || !is_floating(dtype))
      table.fail(table.place_of("dtype"), "an operator is swept over float64, float32, bfloat16 and float16");
    dtypes.push_back(dtype);
  }
  return dtypes;
}

std::string read_symbol(const TomlTable& table, const char* key, const std::vector<std::string>& symbols) {
  const std::string symbol = table.string(key);
  if (!symbol.empty() && std::ranges::find(symbols, symbol) == symbols.end())
    table.fail(table.place_of(key),
               "the sweep has no symbol " + parity::quoted(symbol) + suggestion(symbol, symbols));
  return symbol;
}

/// Refuses a sweep whose largest point does not fit into this machine's memory.
void check_memory(const TomlTable& table, const Problem& problem) {
  const operators::LargestPoint largest = operators::largest_point(problem);
  struct sysinfo facts{};
  const double memory = sysinfo(&facts) == 0 ? static_cast<double>(facts.totalram) * facts.mem_unit : 0x1p62;
  if (largest.bytes > 0.8 * memory || largest.bytes > static_cast<double>(most_elements))
    table.fail(
        table.place_of("inputs"),
        fmt::format("the inputs at {} need {:.1f} GiB with their gradients and float64 copies (this "
                    "machine has {:.1f} GiB); give smaller sizes",
                    problem.points[largest.point].text(), largest.bytes / (1 << 30), memory / (1 << 30)));
}

}  // namespace

Json json_of(const TomlTable& table, std::string_view key) {
  const toml::node* node = table.raw().get(key);
  return node == nullptr ? Json() : json_of_node(*node);
}

Problem read_problem(const TomlTable& table) {
  const auto sweep = read_sweep(table);
  std::vector<std::string> symbols;
  for (const auto& [symbol, values] : sweep)
    symbols.push_back(symbol);
  Problem problem;
  problem.inputs = read_inputs(table, symbols);
  problem.outputs = table.strings("outputs");
  problem.batch = read_symbol(table, "batch", symbols);
  problem.length = read_symbol(table, "length", symbols);
  const int64_t sample = table.integer("sample", static_cast<int64_t>(most_points));
  if (sample < 1)
    table.fail(table.place_of("sample"), "'sample' is a number of points, 1 or more");
  std::vector<Point> points = combinations(table, sweep, read_dtypes(table));
  problem.points = sampled(std::move(points), static_cast<size_t>(sample));
  if (problem.points.size() > most_points)
    table.fail(table.place_of("sweep"),
               fmt::format("the sweep has {} points (the limit is {}); take sample = 100",
                           problem.points.size(), most_points));
  check_memory(table, problem);
  return problem;
}

}  // namespace parity::suite
