// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/machine.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include <fmt/format.h>
#include <sched.h>

#include "harness/base/files/file.hpp"

namespace parity::suite {
namespace {

const std::set<std::string> compared_features = {
    "sse4_2",   "avx",      "avx2",     "fma",         "f16c",     "avx512f",
    "avx512bw", "avx512dq", "avx512vl", "avx512_vnni", "avx_vnni", "avx512_bf16",
    "amx_tile", "amx_bf16", "amx_int8", "asimd",       "sve"};

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

Json CpuFacts::to_json() const {
  return {{"vendor", vendor}, {"family", family}, {"model", model}, {"features", features}};
}

CpuFacts parse_cpu_facts(std::string_view cpuinfo) {
  CpuFacts facts{"unknown", "", "", {}};
  std::istringstream in{std::string(cpuinfo)};
  std::string line;
  while (std::getline(in, line) && !line.empty()) {  // reads the first processor; an empty line ends it
    const size_t colon = line.find(':');
    if (colon == std::string::npos)
      continue;
    const std::string key = trimmed(line.substr(0, colon));
    const std::string value = trimmed(line.substr(colon + 1));
    if (key == "vendor_id" || key == "CPU implementer")
      facts.vendor = value;
    else if (key == "cpu family")
      facts.family = value;
    else if (key == "model" || key == "CPU part")
      facts.model = value;
    else if (key == "flags" || key == "Features") {
      std::istringstream words(value);
      for (std::string word; words >> word;)
        if (compared_features.contains(word))
          facts.features.push_back(word);
    }
  }
  std::sort(facts.features.begin(), facts.features.end());
  return facts;
}

CpuFacts this_cpu() {
  return parse_cpu_facts(read_file("/proc/cpuinfo"));
}

Json gpu_facts(const std::filesystem::path& folder, const std::filesystem::path& paravirtual) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(folder / "version", error))
    return std::filesystem::exists(paravirtual, error) ? Json{{"driver", paravirtual.string()}}
                                                       : Json::object();
  const std::string version = read_file(folder / "version");
  std::vector<std::string> models;
  for (std::filesystem::directory_iterator at(folder / "gpus", error), end; !error && at != end;
       at.increment(error)) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(at->path() / "information", none))
      continue;
    std::istringstream in(read_file(at->path() / "information"));
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("Model:"))
        models.push_back(trimmed(line.substr(line.find(':') + 1)));
  }
  std::sort(models.begin(), models.end());
  return {{"driver", version.substr(0, version.find('\n'))}, {"models", models}};
}

Machine this_machine() {
  return {this_cpu().to_json(), gpu_facts(), nullptr};
}

std::string machine_difference(const Json& identity, const Machine& here) {
  if (!identity.is_object())
    return "";
  const Json cpu = identity.value("cpu", Json());
  if (!cpu.is_null() && cpu != here.cpu)
    return fmt::format("has the CPU {} (planned: {})", here.cpu.dump(), cpu.dump());
  const Json gpus = identity.value(Json::json_pointer("/cuda/gpus"), Json());
  return gpus.is_null() || gpus == here.gpus
             ? ""
             : fmt::format("has the GPUs {} (planned: {})", here.gpus.dump(), gpus.dump());
}

}  // namespace parity::suite
