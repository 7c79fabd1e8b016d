// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/reports/html/devtools.hpp"

#include <array>
#include <csignal>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/places.hpp"

namespace parity::reports {
namespace {

constexpr int patience = 60'000;  ///< milliseconds for one message, on a busy machine

std::array<int, 2> new_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::runtime_error("cannot make a pipe for the browser");
  return ends;
}

/// Chromium reads commands from descriptor 3 and writes answers to 4.
[[noreturn]] void become_browser(int commands, int answers, const std::string& profile) {
  const int input = ::fcntl(commands, F_DUPFD, 10), output = ::fcntl(answers, F_DUPFD, 10);
  ::dup2(input, 3);
  ::dup2(output, 4);
  const int null = ::open("/dev/null", O_RDWR);
  for (const int stream : {0, 1, 2})
    ::dup2(null, stream);
  ::setpgid(0, 0);
  // Chromium ignores more than 200 navigations in ten seconds, which no reader reaches and links_test does.
  ::execl(places::chromium.c_str(), "chromium", "--headless=new", "--no-sandbox", "--disable-gpu",
          "--disable-ipc-flooding-protection", "--hide-scrollbars", "--remote-debugging-pipe",
          "--window-size=1400,1000", profile.c_str(), "about:blank", nullptr);
  ::_exit(127);
}

}  // namespace

DevTools::DevTools(const std::filesystem::path& profile) {
  std::signal(SIGPIPE, SIG_IGN);  // a browser that is gone is an error of write()
  const auto commands = new_pipe(), answers = new_pipe();
  const std::string option = "--user-data-dir=" + profile.string();
  browser_ = ::fork();
  if (browser_ == 0)
    become_browser(commands[0], answers[1], option);
  ::close(commands[0]);
  ::close(answers[1]);
  to_ = commands[1];
  from_ = answers[0];
  const Json tab = request("Target.createTarget", {{"url", "about:blank"}}, "");
  session_ = request("Target.attachToTarget", {{"targetId", tab.at("targetId")}, {"flatten", true}}, "")
                 .at("sessionId")
                 .get<std::string>();
  send("Page.enable");
}

DevTools::~DevTools() {
  ::close(to_);
  ::close(from_);
  ::kill(-browser_, SIGKILL);
  ::waitpid(browser_, nullptr, 0);
}

void DevTools::open(const std::string& address) {
  seen_events_.clear();
  send("Page.navigate", {{"url", address}});
  wait_for_event("Page.loadEventFired");
}

Json DevTools::evaluate(const std::string& expression) {
  const Json answer =
      send("Runtime.evaluate", {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
  if (answer.contains("exceptionDetails"))
    throw std::runtime_error(answer["exceptionDetails"].dump());
  return answer.at("result").value("value", Json());
}

Json DevTools::send(const std::string& method, const Json& parameters) {
  return request(method, parameters, session_);
}

Json DevTools::request(const std::string& method, const Json& parameters, const std::string& session) {
  Json command = {{"id", ++last_id_}, {"method", method}, {"params", parameters}};
  if (!session.empty())
    command["sessionId"] = session;
  const std::string text = command.dump() + '\0';
  for (size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(to_, text.data() + done, text.size() - done);
    if (written <= 0)
      throw std::runtime_error("the browser reads no commands");
    done += static_cast<size_t>(written);
  }
  for (;;) {
    const Json message = next_message();
    if (message.value("id", 0) != last_id_) {
      seen_events_ += message.value("method", "") + " ";
      continue;
    }
    if (message.contains("error"))
      throw std::runtime_error(method + ": " + message["error"].dump());
    return message.at("result");
  }
}

Json DevTools::next_message() {
  for (;;) {
    if (const size_t end = unread_.find('\0'); end != std::string::npos) {
      Json message = Json::parse(unread_.substr(0, end));
      unread_.erase(0, end + 1);
      return message;
    }
    pollfd ready{from_, POLLIN, 0};
    std::array<char, 65536> piece{};
    const ssize_t length = ::poll(&ready, 1, patience) > 0 ? ::read(from_, piece.data(), piece.size()) : 0;
    if (length <= 0)
      throw std::runtime_error("the browser does not answer");
    unread_.append(piece.data(), static_cast<size_t>(length));
  }
}

void DevTools::wait_for_event(const std::string& method) {
  if (seen_events_.find(method) != std::string::npos)
    return;
  while (next_message().value("method", "") != method) {
  }
}

}  // namespace parity::reports
