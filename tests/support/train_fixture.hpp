// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>

#include "harness/base/json/json.hpp"
#include "harness/trace/read/trace.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scratch.hpp"

namespace parity {

/// The environment of the portable profile, as words before a command.
inline std::string portable_environment() {
  return "ATEN_CPU_CAPABILITY=avx2 MKL_CBWR=AVX2,STRICT ONEDNN_MAX_CPU_ISA=AVX2 OMP_NUM_THREADS=1 "
         "MKL_NUM_THREADS=1 ";
}
/// Makes MKL in a Python program take the branch that parity-train's takes.
inline std::string portable_preload() {
  return "LD_PRELOAD=" + places::build + "/bin/libparity-mkl.so ";
}

/// Runs the program parity-train, with the environment of the portable profile.
class TrainProgramTest : public FolderTest {
 protected:
  static std::string program() { return places::build + "/bin/parity-train "; }

  /// Writes every key with its default, overridden by `changes`, as the harness writes a config.
  std::filesystem::path write_config(const Json& changes, const std::string& name = "config.json") const {
    const Json schema = Json::parse(read_file(places::build + "/bin/parity-train.schema.json"));
    Json config = Json::object();
    for (const auto& [key, row] : schema["keys"].items())
      config[key] = row["default"];
    config.update(changes);
    write_file(folder / name, config.dump());
    return folder / name;
  }

  /// Returns exit status and all output of parity-train.
  CommandResult train(const std::string& arguments, const std::string& environment = "") const {
    CommandResult result = run_shell(portable_environment() + environment + " " + program() + arguments);
    result.status = WIFEXITED(result.status) ? WEXITSTATUS(result.status) : -1;
    return result;
  }

  /// Changes that make a model of a few thousand parameters.
  static Json small() {
    return {{"architecture.dim", 32},       {"architecture.n_layers", 2},     {"architecture.n_heads", 4},
            {"architecture.n_kv_heads", 2}, {"architecture.vocab_size", 300}, {"architecture.ffn_hidden", 48},
            {"data.seq_len", 24},           {"data.global_batch", 4}};
  }
};

/// Returns the values of one channel.
inline std::vector<double> channel_of(const trace::Trace& trace, const std::string& name) {
  return trace.channels().at(name).as_double();
}

}  // namespace parity
