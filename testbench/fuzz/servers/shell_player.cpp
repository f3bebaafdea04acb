// SPDX-License-Identifier: Apache-2.0
#include "testbench/fuzz/players.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <systemc>

#include "testbench/doors/shell/protocol.h"
#include "testbench/doors/shell/shell_server.h"
#include "testbench/run/process/descriptor.h"
#include "testbench/run/process/local_socket.h"

namespace pmufab::fuzz {
namespace {

constexpr std::size_t kMostSteps = 60;
constexpr std::size_t kMostConnections = 8;
constexpr int kMostEvents = 20;

void demand(bool good, const char* what) {
  if (!good) throw Violation(what);
}

/// Events that count nothing, and are strict about how they are used.
class StrictService final : public shell::ShellService {
 public:
  Handle open(const perf_event_attr& attributes, pid_t /*pid*/, int cpu, Handle leader,
              std::uint64_t /*flags*/) override {
    if (leader != 0 && !open_.contains(leader)) return -EBADF;
    if (cpu < 0 || attributes.type == 0) return -EINVAL;
    if (next_ > kMostEvents) return -EMFILE;
    open_.insert(next_);
    return next_++;
  }
  std::vector<std::uint64_t> read(Handle handle, std::uint64_t room, int& error) override {
    check(handle);
    demand(room <= PMUFAB_SHELL_DATA, "a reading longer than a reply");
    error = room < sizeof(std::uint64_t) ? -ENOSPC : 0;
    return std::vector<std::uint64_t>(room / sizeof(std::uint64_t), room);
  }
  int control(Handle handle, std::uint64_t request, std::uint64_t argument, std::uint64_t& value) override {
    check(handle);
    value = request + argument;
    return (request & 1U) != 0 ? -ENOTTY : 0;
  }
  void close(Handle handle) override {
    check(handle);
    open_.erase(handle);
  }
  [[nodiscard]] std::optional<Picoseconds> next_rotation() const override { return std::nullopt; }
  void rotate() override { throw Violation("a rotation that nobody has asked for"); }
  std::vector<std::uint8_t> read_config(std::uint32_t function, std::uint64_t offset, std::uint64_t size) override {
    demand(size <= PMUFAB_SHELL_DATA, "configuration space longer than a reply");
    return std::vector<std::uint8_t>(size, static_cast<std::uint8_t>(function + offset));
  }
  int write_config(std::uint32_t /*function*/, std::uint64_t /*offset*/, const std::uint8_t* data,
                   std::size_t size) override {
    demand(size <= PMUFAB_SHELL_DATA, "more data than a request has");
    for (std::size_t i = 0; i < size; ++i) sum_ += data[i];  // touches every byte
    return static_cast<int>(size);
  }

  [[nodiscard]] std::size_t open_events() const noexcept { return open_.size(); }

 private:
  void check(Handle handle) const { demand(open_.contains(handle), "a call on an event that is not open"); }

  std::set<Handle> open_;
  Handle next_ = 1;
  std::uint64_t sum_ = 0;
};

/// Takes an input apart.
class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> input) : rest_(input) {}
  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
  std::uint32_t number(unsigned size) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < size; ++i) {
      if (rest_.empty()) break;
      value |= static_cast<std::uint32_t>(rest_.front()) << (8 * i);
      rest_ = rest_.subspan(1);
    }
    return value;
  }
  std::vector<std::uint8_t> take(std::size_t size) {
    std::vector<std::uint8_t> bytes(size);
    const std::size_t there = std::min(size, rest_.size());
    std::copy_n(rest_.begin(), there, bytes.begin());
    rest_ = rest_.subspan(there);
    return bytes;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

std::uint64_t interesting(std::uint32_t selector) {
  constexpr std::uint32_t kPlain = 128;
  constexpr std::array<std::uint64_t, 8> kNumbers{~std::uint64_t{0}, std::uint64_t{1} << 63U, 0x7fff'ffff, 0x8000'0000,
                                                  0xffff'ffff,       std::uint64_t{1} << 32U, 4096,        4097};
  return selector >= kPlain ? selector - kPlain : kNumbers[selector % kNumbers.size()];
}

std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

/// One input: a server, and clients that do what it says.
class ShellPlay {
 public:
  explicit ShellPlay(const std::filesystem::path& folder)
      : path_(folder / "socket"), server_({.socket = path_, .time_scale = 0.001}, service_) {}

  void play(Bytes input) {
    for (std::size_t step = 0; step < kMostSteps && !input.empty(); ++step) {
      take_step(input);
      look();
      take_replies();
    }
    clients_.clear();
    look();
    demand(service_.open_events() == 0, "an event is open, and nobody has it");
    // The next one is served as ever.
    connect();
    pmufab_shell_request request{};
    request.version = PMUFAB_SHELL_VERSION;
    request.call = PMUFAB_SHELL_CLOCK;
    send(0, &request, offsetof(pmufab_shell_request, data), -1);
    look();
    demand(take_replies() == 1, "the server does not answer");
  }

 private:
  void take_step(Bytes& input) {
    const std::uint32_t byte = input.number(1);
    const std::uint32_t kind = byte % 8;
    if (kind == 0 || clients_.empty()) connect();
    if (clients_.empty()) return;
    const std::size_t client = byte / 8 % clients_.size();
    if (kind == 1) {
      const std::vector<std::uint8_t> bytes = input.take(input.number(2) % (sizeof(pmufab_shell_request) + 100));
      send(client, bytes.data(), bytes.size(), -1);
    } else if (kind >= 2 && kind <= 5) {
      send_request(client, kind, input);
    } else if (kind == 6) {
      clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(client));
    }
  }

  void send_request(std::size_t client, std::uint32_t kind, Bytes& input) {
    pmufab_shell_request request{};
    request.version = kind == 5 ? input.number(4) : PMUFAB_SHELL_VERSION;
    if (kind == 5) {
      send(client, &request, input.number(2) % sizeof(request), -1);
      return;
    }
    request.call = input.number(1);
    for (std::uint64_t& argument : request.argument) argument = interesting(input.number(1));
    request.length = input.number(2);
    const std::vector<std::uint8_t> data = input.take(input.number(1));
    std::copy(data.begin(), data.end(), request.data);
    const process::Descriptor file(kind == 4 ? ::open("/dev/null", O_RDONLY | O_CLOEXEC) : -1);
    // As long as it says, if there is room for that.
    const std::size_t length = std::min<std::size_t>(request.length, PMUFAB_SHELL_DATA);
    send(client, &request, offsetof(pmufab_shell_request, data) + length, file.get());
  }

  void connect() {
    if (clients_.size() >= kMostConnections) return;
    process::Descriptor client(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path_.string().copy(address.sun_path, sizeof(address.sun_path) - 1);
    demand(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0,
           "the server takes no client");
    clients_.push_back(std::move(client));
    look();
  }

  void send(std::size_t client, const void* bytes, std::size_t size, int descriptor) {
    process::send_to(clients_[client].get(), bytes, size, descriptor);
  }

  void look() {
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) server_.serve_once(0);
  }

  /// @return how many came
  unsigned take_replies() {
    unsigned replies = 0;
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      while (take_reply(i)) ++replies;
    }
    return replies;
  }

  bool take_reply(std::size_t client) {
    pmufab_shell_reply reply{};
    iovec part{&reply, sizeof(reply)};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    const ssize_t size = recvmsg(clients_[client].get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (size <= 0) return false;
    constexpr std::size_t kHeader = offsetof(pmufab_shell_reply, data);
    demand(static_cast<std::size_t>(size) >= kHeader && static_cast<std::size_t>(size) == kHeader + reply.length,
           "a reply whose length is not what it says");
    demand((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0, "a reply that is too long");
    const cmsghdr* const header = CMSG_FIRSTHDR(&message);
    if (header == nullptr) return true;
    int number = -1;
    std::memcpy(&number, CMSG_DATA(header), sizeof(int));
    process::Descriptor event(number);
    demand(reply.result > 0, "a descriptor with a failure");
    if (clients_.size() < kMostConnections) clients_.push_back(std::move(event));
    return true;
  }

  std::filesystem::path path_;
  StrictService service_;
  shell::ShellServer server_;
  std::vector<process::Descriptor> clients_;
};

/// Where inputs are played, one after the other: the server lets simulated time pass.
class Stage final : public sc_core::sc_module {
 public:
  explicit Stage(const sc_core::sc_module_name& name) : sc_module(name) {
    std::string folder = (std::filesystem::temp_directory_path() / "pmufab-fuzz-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw Violation("there is no place for a socket");
    folder_ = folder;
    sc_core::sc_spawn([this] { story(); }, "story");
  }
  ~Stage() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  void run(std::span<const std::uint8_t> input) {
    input_ = input;
    failure_ = nullptr;
    if (std::exchange(started_, true)) start_.notify(sc_core::SC_ZERO_TIME);
    sc_core::sc_start();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void story() {
    while (true) {
      try {
        const std::ptrdiff_t before = open_files();
        ShellPlay(folder_).play(Bytes(input_));
        demand(open_files() == before, "file descriptors are left");
      } catch (const std::exception&) {
        failure_ = std::current_exception();
      }
      std::error_code ignored;
      std::filesystem::remove(folder_ / "socket", ignored);
      sc_core::sc_pause();
      sc_core::wait(start_);
    }
  }

  std::filesystem::path folder_;
  std::span<const std::uint8_t> input_;
  std::exception_ptr failure_;
  bool started_ = false;
  sc_core::sc_event start_;
};

}  // namespace

void play_on_shell(std::span<const std::uint8_t> input) {
  // Never destroyed, because the simulation is not over when the process ends.
  static Stage* const stage = std::make_unique<Stage>("stage").release();
  stage->run(input);
}

}  // namespace pmufab::fuzz
