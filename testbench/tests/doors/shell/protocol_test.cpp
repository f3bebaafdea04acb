// SPDX-License-Identifier: Apache-2.0
// Clients that violate the protocol, or ask too much.
#include <sys/resource.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

#include <gmock/gmock.h>

#include "testbench/tests/doors/shell/shell_client.h"

namespace pmufab::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint64_t kGarbage = 0xdead'beef'dead'beef;

TEST_F(ShellProtocol, another_version_is_answered_by_the_simulators_own) {
  for (const std::uint32_t version : {1U, PMUFAB_SHELL_VERSION + 1, 0xffff'ffffU}) {
    pmufab_shell_request clock = request(PMUFAB_SHELL_CLOCK);
    clock.version = version;
    const Client::Reply reply = ask(clock);
    EXPECT_EQ(reply.result, -EPROTONOSUPPORT) << version;
    EXPECT_EQ(reply.value, PMUFAB_SHELL_VERSION);
    // However long its requests are.
    const Client other = connect();
    ASSERT_TRUE(other.send(&version, sizeof(version)));
    EXPECT_EQ(other.receive().value_or(Client::Reply()).result, -EPROTONOSUPPORT) << version;
  }
  EXPECT_TRUE(answers());
}

TEST_F(ShellProtocol, a_sleep_beyond_the_end_of_time_is_refused_at_once) {
  const Client::Reply refused = ask(request(PMUFAB_SHELL_WAIT, {PMUFAB_SHELL_SLEEP, ~std::uint64_t{0}}));
  EXPECT_EQ(refused.result, -EINVAL);
  // 9 million simulated seconds at 1 ms per second, nearly all of them left.
  EXPECT_GT(refused.value, 8'999'999'000'000'000'000U);
  EXPECT_LT(refused.value, 9'000'000'000'000'000'001U);
  EXPECT_TRUE(answers());
}

TEST_F(ShellProtocol, what_is_no_request_ends_its_own_connection_only) {
  constexpr std::size_t kHeader = offsetof(pmufab_shell_request, data);
  const pmufab_shell_request good = request(PMUFAB_SHELL_CLOCK);
  pmufab_shell_request longer = good;
  longer.length = 1;
  pmufab_shell_request endless = good;
  endless.length = 0xffff'ffff;
  std::vector<char> whole_page(sizeof(pmufab_shell_request) + 1000);
  std::memcpy(whole_page.data(), &endless, sizeof(endless));
  const Client witness = connect();
  for (const auto& [data, size] :
       std::vector<std::pair<const void*, std::size_t>>{{&good, 0},
                                                        {&good, 4},
                                                        {&good, kHeader - 1},
                                                        {&longer, kHeader},
                                                        {&endless, sizeof(endless)},
                                                        {whole_page.data(), whole_page.size()}}) {
    const Client client = connect();
    ASSERT_TRUE(client.send(data, size)) << size;
    EXPECT_FALSE(client.receive()) << size;
    EXPECT_FALSE(client.send(good)) << size << ": the connection is still there";
    EXPECT_EQ(witness.ask(good).result, 0) << size;
  }
}

TEST_F(ShellProtocol, unknown_questions_are_refused) {
  const Event event = open(attributes("nvidia_ucf_pmu_0", 0x111));
  for (const std::uint32_t call : {PMUFAB_SHELL_CONFIG_WRITE + 1U, 0xffff'ffffU})
    EXPECT_EQ(ask(request(call)).result, -ENOSYS) << call;
  // An event's socket answers nothing, and keeps nobody waiting.
  for (const std::uint32_t call : {PMUFAB_SHELL_OPEN + 0U, PMUFAB_SHELL_READ + 0U, PMUFAB_SHELL_IOCTL + 0U}) {
    EXPECT_TRUE(event.client.send(request(call, {event.number, 8}))) << call;
    char byte = 0;
    EXPECT_EQ(recv(event.client.socket(), &byte, sizeof(byte), 0), 0) << call;
  }
  for (const std::uint64_t kind : {PMUFAB_SHELL_POLL + std::uint64_t{1}, kGarbage})
    EXPECT_EQ(ask(request(PMUFAB_SHELL_WAIT, {kind, 1})).result, -EINVAL) << kind;
  EXPECT_EQ(event.control(kGarbage, kGarbage), -ENOTTY);
  EXPECT_EQ(event.words().size(), 1U) << "and the event is as it was";
}

TEST_F(ShellProtocol, events_and_functions_that_do_not_exist_are_refused) {
  const perf_event_attr good = attributes("nvidia_ucf_pmu_0", 0x111);
  const Event event = open(good);
  for (const std::uint64_t leader : {event.number + 1, event.number | std::uint64_t{1} << 32,
                                     std::uint64_t{0x7fff'ffff}, kGarbage, ~std::uint64_t{0}}) {
    EXPECT_EQ(ask(opening(good, leader)).result, -EBADF) << leader;
    EXPECT_EQ(ask(request(PMUFAB_SHELL_READ, {leader, 8})).result, -EBADF) << leader;
    EXPECT_EQ(ask(request(PMUFAB_SHELL_IOCTL, {leader, PERF_EVENT_IOC_ID})).result, -EBADF) << leader;
  }
  perf_event_attr bad = good;
  bad.type = 0xdead'beef;
  EXPECT_EQ(ask(opening(bad)).result, -ENOENT);
  pmufab_shell_request nowhere = opening(good);
  for (const std::uint64_t cpu : {std::uint64_t{1} << 20, kGarbage}) {
    nowhere.argument[1] = cpu;
    EXPECT_EQ(ask(nowhere).result, -EINVAL) << cpu;
  }
  EXPECT_EQ(ask(opening({})).result, -ENOENT) << "all zero: not one of our PMUs";
  pmufab_shell_request empty = opening(good);
  empty.length = 0;
  EXPECT_EQ(ask(empty).result, -E2BIG);
  for (const std::uint64_t function : {std::uint64_t{0xffff'ffff}, kGarbage}) {
    const Client::Reply read = ask(request(PMUFAB_SHELL_CONFIG_READ, {function, 0, kGarbage}));
    EXPECT_EQ(read.result, 0);
    EXPECT_EQ(read.length, 0U);
    pmufab_shell_request writing = request(PMUFAB_SHELL_CONFIG_WRITE, {function, 0, kGarbage});
    writing.length = 4;
    EXPECT_EQ(ask(writing).result, -ENODEV);
  }
  EXPECT_EQ(event.read(7).result, -ENOSPC);
  EXPECT_EQ(event.read(kGarbage).length, sizeof(std::uint64_t));
}

TEST_F(ShellProtocol, those_who_leave_in_the_middle_leave_nothing) {
  const perf_event_attr exclusive = [&] {
    perf_event_attr all = attributes("nvidia_ucf_pmu_0", 0x111);
    all.exclusive = 1;  // anything left on this PMU would block others
    return all;
  }();
  const std::string files = "/proc/" + std::to_string(simulator) + "/fd";
  const auto count = [&] { return std::distance(fs::directory_iterator(files), fs::directory_iterator()); };
  ASSERT_TRUE(answers());
  const auto before = count();
  for (int turn = 0; turn < 20; ++turn) {
    EXPECT_TRUE(connect().send(opening(exclusive)));
    EXPECT_TRUE(connect().send(request(PMUFAB_SHELL_WAIT, {PMUFAB_SHELL_SLEEP, ~std::uint64_t{0}})));
    const Event event = open(exclusive);
    EXPECT_TRUE(connect().send(request(PMUFAB_SHELL_READ, {event.number, 8})));
  }
  for (int turn = 0; turn < 1000 && count() > before; ++turn) EXPECT_TRUE(answers());
  EXPECT_LE(count(), before);
  perf_event_attr other = attributes("nvidia_ucf_pmu_0", 0x111);
  other.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING;
  const Event event = open(other);
  std::uint64_t running = 0;
  for (int turn = 0; turn < 1000 && running == 0; ++turn) running = event.words().at(1);
  EXPECT_GT(running, 0U);
}

TEST_F(ShellProtocol, more_connections_than_descriptors_wait_and_do_not_keep_it_busy) {
  const auto ticks = [&] {
    const std::string status = read("/proc/" + std::to_string(simulator) + "/stat");
    std::istringstream fields(status.substr(status.rfind(')') + 2));
    std::vector<std::string> words;
    for (std::string word; fields >> word;) words.push_back(word);
    return std::stol(words.at(11)) + std::stol(words.at(12));  // utime and stime
  };
  const rlimit few{40, 40};
  ASSERT_EQ(prlimit(simulator, RLIMIT_NOFILE, &few, nullptr), 0);
  std::vector<Client> crowd;
  for (int i = 0; i < 60; ++i) crowd.push_back(connect());
  const Client late = connect();
  ASSERT_TRUE(late.send(request(PMUFAB_SHELL_CLOCK)));
  EXPECT_FALSE(late.receive(50)) << "there was room";
  const long before = ticks();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  EXPECT_LE(ticks() - before, sysconf(_SC_CLK_TCK) / 10) << "of half a second";
  crowd.clear();
  EXPECT_EQ(late.receive().value_or(Client::Reply()).result, 0);
}

/// Sends requests, and never waits for the answers.
class Asker {
 public:
  explicit Asker(Client client)
      : client_(std::move(client)), thread_([this] {
          while (!stopped_) client_.send(request(PMUFAB_SHELL_CLOCK));
        }) {}
  ~Asker() {
    stopped_ = true;
    shutdown(client_.socket(), SHUT_RDWR);
    thread_.join();
  }
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

 private:
  Client client_;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

TEST_F(ShellProtocol, who_asks_without_a_pause_keeps_nobody_from_waking_up) {
  // So many that there is always a request to answer.
  const Asker first(connect());
  const Asker second(connect());
  const Asker third(connect());
  sleep(3);
}

TEST_F(ShellProtocol, who_asks_without_a_pause_holds_time_as_long_as_who_works_and_no_longer) {
  const Client sleeper = connect();
  Client self = connect(true);
  EXPECT_EQ(self.ask(request(PMUFAB_SHELL_JOIN)).result, 0);
  const auto begun = std::chrono::steady_clock::now();
  const Asker asker(std::move(self));
  EXPECT_EQ(sleeper.ask(request(PMUFAB_SHELL_WAIT, {PMUFAB_SHELL_SLEEP, 1'000'000})).result, 0);
  EXPECT_GT(std::chrono::steady_clock::now() - begun, std::chrono::milliseconds(1500));
}

/// A program in the shell, with a simulator of another version.
TEST_F(Shell, a_library_of_another_version_says_that_versions_differ) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (folder / "socket").string();
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    if (std::freopen((folder / "err").c_str(), "w", stderr) == nullptr) _exit(126);
    setenv("LD_PRELOAD", PMUFAB_SHELL_PRELOAD, 1);
    setenv(PMUFAB_SHELL_SOCKET, path.c_str(), 1);
    execlp("sleep", "sleep", "1000", static_cast<char*>(nullptr));
    _exit(127);
  }
  const Client peer(accept(listener, nullptr, nullptr));
  pmufab_shell_request question{};
  EXPECT_GT(recv(peer.socket(), &question, sizeof(question), 0), 0);
  EXPECT_EQ(question.version, PMUFAB_SHELL_VERSION);
  pmufab_shell_reply reply{};
  reply.result = -EPROTONOSUPPORT;
  reply.value = 77;
  EXPECT_TRUE(peer.send(&reply, offsetof(pmufab_shell_reply, data)));
  int status = 0;
  waitpid(pid, &status, 0);
  close(listener);
  EXPECT_THAT(read(folder / "err"), AllOf(HasSubstr("speaks version 77 of the protocol"),
                                          HasSubstr("version " + std::to_string(PMUFAB_SHELL_VERSION))));
}

}  // namespace
}  // namespace pmufab::testing
