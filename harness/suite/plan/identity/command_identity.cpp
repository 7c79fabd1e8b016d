// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "harness/suite/plan/identity/command_identity.hpp"

#include <fstream>
#include <sstream>

#include "harness/base/error.hpp"
#include "harness/base/processes/process.hpp"
#include "harness/suite/plan/identity/content_hash.hpp"

namespace parity::suite {
namespace fs = std::filesystem;
namespace {

constexpr size_t longest_line = 4096;

/// Returns the hash of the program that `name` would start; "" if there is none. Such a run fails, and the
/// cache never answers with a failed run.
std::string hash_of_program(const std::string& name, const HashFile& hash_program) {
  std::error_code error;
  try {
    const fs::path program = find_program(name);
    return fs::is_regular_file(program, error) ? hash_program(program) : "";
  } catch (const UserError&) {
    return "";
  }
}

/// Returns the hash of the interpreter and, after `env`, of the program that `env` looks up.
std::string hash_of_interpreter(const std::string& name, const HashFile& hash_program) {
  std::string all;
  for (const std::string& word : interpreter_options(name))
    if (!word.starts_with("-") && word.find('=') == std::string::npos)
      all += hash_of_program(word, hash_program) + " ";
  return all;
}

bool is_file(const std::string& path) {
  std::error_code error;
  return !path.empty() && fs::is_regular_file(path, error);
}

}  // namespace

std::vector<std::string> interpreter_options(const std::string& name) {
  std::string line(longest_line, '\0');
  try {
    std::ifstream in(find_program(name), std::ios::binary);
    in.read(line.data(), static_cast<std::streamsize>(line.size()));
    line.resize(static_cast<size_t>(in.gcount()));
  } catch (const UserError&) {
    return {};
  }
  if (!line.starts_with("#!"))
    return {};
  std::istringstream in(line.substr(2, line.find('\n') - 2));
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

Json command_identity(const std::vector<std::string>& argv, const HashFile& hash_program,
                      const HashFile& hash_file) {
  Json files = Json::object();
  for (size_t i = 1; i < argv.size(); ++i) {
    const std::string& word = argv[i];
    const size_t equals = word.find('=');
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    for (const std::string& path : {word, value})
      if (is_file(path))
        files[path] = hash_file(path);
  }
  const std::string program = argv.empty() ? "" : argv.front();
  std::error_code error;
  std::string bytes = fs::current_path(error).string();
  for (const std::string& word : argv)
    bytes += '\0' + word;
  return {{"argv", argv},
          {"words", content_hash(bytes)},
          {"program", hash_of_program(program, hash_program)},
          {"interpreter", hash_of_interpreter(program, hash_program)},
          {"files", files}};
}

}  // namespace parity::suite
