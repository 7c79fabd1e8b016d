// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/pytorch/pytorch_server.hpp"

#include <cstdlib>
#include <stdexcept>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/json/json.hpp"
#include "tests/support/train_fixture.hpp"

namespace parity {
namespace {

class PyTorchServer {
 public:
  PyTorchServer() {
    int to_server[2], from_server[2];
    if (::pipe2(to_server, O_CLOEXEC) != 0 || ::pipe2(from_server, O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe to a PyTorch server");
    const std::string command = "exec env " + portable_preload() + portable_environment() + places::python +
                                " " + places::source + "/tests/support/pytorch/pytorch_server.py";
    child_ = ::fork();
    if (child_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::dup2(to_server[0], 0);
      ::dup2(from_server[1], 1);
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(to_server[0]);
    ::close(from_server[1]);
    requests_ = ::fdopen(to_server[1], "w");
    answers_ = ::fdopen(from_server[0], "r");
  }
  ~PyTorchServer() {
    std::fclose(requests_);  // it ends with its input
    std::fclose(answers_);
    ::waitpid(child_, nullptr, 0);
  }
  PyTorchServer(const PyTorchServer&) = delete;
  PyTorchServer& operator=(const PyTorchServer&) = delete;

  int run(const Json& request) {
    std::fputs((request.dump() + "\n").c_str(), requests_);
    std::fflush(requests_);
    std::array<char, 256> answer{};
    if (std::fgets(answer.data(), answer.size(), answers_) == nullptr)
      throw std::runtime_error("the PyTorch server is gone");
    return Json::parse(answer.data()).at("status");
  }

 private:
  pid_t child_ = 0;
  FILE* requests_ = nullptr;
  FILE* answers_ = nullptr;
};

}  // namespace

CommandResult run_pytorch(const std::vector<PyTorchProgram>& programs, const std::filesystem::path& scratch) {
  static PyTorchServer server;
  const std::filesystem::path output = scratch / "pytorch_output";
  std::filesystem::remove(output);
  Json request = {{"output", output.string()}, {"seconds", 120}, {"programs", Json::array()}};
  for (const PyTorchProgram& program : programs)
    request["programs"].push_back({{"argv", program.argv}, {"environment", program.environment}});
  const int status = server.run(request);
  return {status, std::filesystem::exists(output) ? read_file(output) : ""};
}

}  // namespace parity
