// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/shell/shell_server.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "testbench/doors/shell/event_attributes.h"
#include "testbench/run/process/local_socket.h"
#include "testbench/run/process/process_tree.h"

namespace pmufab::shell {
namespace {

constexpr std::chrono::milliseconds kSlice{4};
constexpr std::chrono::milliseconds kComputes{2000};  // without a wait, and time passes although its clock stands still
constexpr std::chrono::milliseconds kNoRoom{20};      // before connections are looked at again

void send_reply(int socket, const pmufab_shell_reply& reply, int descriptor = -1) {
  process::send_to(socket, &reply, offsetof(pmufab_shell_reply, data) + reply.length, descriptor);
}

/// @return a whole request, or one of another version, of which only the version is known; nothing if the other end is
///         gone or breaks the protocol
std::optional<pmufab_shell_request> receive(int socket) {
  pmufab_shell_request request{};
  ssize_t size = 0;
  do {
    size = recv(socket, &request, sizeof(request), MSG_DONTWAIT);
  } while (size < 0 && errno == EINTR);
  constexpr auto kHeader = static_cast<ssize_t>(offsetof(pmufab_shell_request, data));
  if (size >= static_cast<ssize_t>(sizeof(request.version)) && request.version != PMUFAB_SHELL_VERSION) return request;
  if (size < kHeader || request.length > PMUFAB_SHELL_DATA || size < kHeader + static_cast<ssize_t>(request.length))
    return std::nullopt;
  return request;
}

/// Answer a request of another version. @return true if it was one
bool refuse_other_version(int socket, const pmufab_shell_request& request) {
  if (request.version == PMUFAB_SHELL_VERSION) return false;
  pmufab_shell_reply reply{};
  reply.result = -EPROTONOSUPPORT;
  reply.value = PMUFAB_SHELL_VERSION;
  send_reply(socket, reply);
  return true;
}

}  // namespace

ShellServer::ShellServer(const Options& options, ShellService& service)
    : scale_(options.time_scale),
      simulated_clock_(options.simulated_clock),
      stop_(options.stop),
      starter_(options.starter),
      service_(service),
      listener_(process::listen_at(options.socket, SOCK_SEQPACKET)),
      slice_(kSlice) {}

ShellServer::~ShellServer() {
  for (const auto& [socket, process] : connections_) close(socket);
  for (const auto& [socket, handle] : event_sockets_) close(socket);
  for (const auto& [descriptor, process] : processes_) close(descriptor);
}

std::chrono::milliseconds ShellServer::quiet() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(WallClock::now() - last_news_);
}

int ShellServer::timeout_ms() const {
  int timeout = -1;
  const SharedTime::Pass now = pass();
  if (now == SharedTime::Pass::at_once) timeout = all_wait_ || simulated_clock_ || starter_ == 0 ? 0 : 1;
  if (now == SharedTime::Pass::with_the_wall && simulated_clock_) timeout = 1;  // programs soon wait
  if (now == SharedTime::Pass::with_the_wall && !simulated_clock_)
    timeout = std::max(static_cast<int>(kSlice.count()), time_.patience_ms() - static_cast<int>(quiet().count()));
  constexpr auto kAgain = static_cast<int>(kNoRoom.count());
  return accept_again_ > WallClock::now() && (timeout < 0 || timeout > kAgain) ? kAgain : timeout;
}

std::optional<Picoseconds> ShellServer::next_wakeup() const {
  const std::optional<Picoseconds> wait = time_.next_wakeup();
  const std::optional<Picoseconds> timer = timers_.next();
  return wait && timer ? std::min(*wait, *timer) : (wait ? wait : timer);
}

/// With a simulated clock, who waits for a pipe, a lock or the terminal does not hold time, and who waits for a file at
/// most for a span lets it pass at once: no program of the shell will write to it before.
SharedTime::Pass ShellServer::pass() const {
  const SharedTime::Pass usual = time_.pass(!event_sockets_.empty());
  if (!simulated_clock_ || !next_wakeup()) return usual;
  return all_programs_wait() ? SharedTime::Pass::at_once : SharedTime::Pass::with_the_wall;
}

bool ShellServer::all_programs_wait() const {
  // Who waits for another thread looks for the answer now and then.
  if (!answered_.empty()) return false;
  if (anybody_runs()) return false;
  // A program that waits for an answer waits for this server. It had asked before it was seen to wait.
  std::vector<pollfd> all = files();
  return poll(all.data(), all.size(), 0) == 0;
}

/// Programs that the simulator does not know may be about to start perf: while they compute, who sleeps beside them sleeps by
/// the wall clock. With a simulated clock all programs are known.
bool ShellServer::anybody_computes() {
  if (starter_ == 0 || simulated_clock_ || all_wait_) return false;
  all_wait_ = !anybody_runs();
  return !all_wait_;
}

/// A program that has just been started has not joined yet.
bool ShellServer::anybody_runs() const {
  std::vector<pid_t> programs = time_.processes();
  if (starter_ != 0) {
    const std::vector<pid_t> started = process::living_descendants(starter_, getpid());
    programs.insert(programs.end(), started.begin(), started.end());
  }
  return std::ranges::any_of(programs, process::is_running);
}

/// A program that looks at the clock until it is late enough gets there: a simulated clock's reading takes time.
void ShellServer::read_clock(pmufab_shell_reply& reply) {
  constexpr Picoseconds kReading = 50'000;
  if (simulated_clock_) advance(kReading);
  reply.value = simulated_time() / 1000;
}

void ShellServer::serve() {
  while (!stopped_) serve_once(timeout_ms());
}

void ShellServer::serve_once(int timeout_ms) {
  if (look(timeout_ms)) {
    last_news_ = WallClock::now();
    children_known_ = false;
    all_wait_ = false;
  }
  // All known processes wait. Before time passes, look for the children they have started.
  if (!children_known_ && (simulated_clock_ || !time_.anybody_works())) join_children();
  // A client that asks without a pause must not block the others: time passes between questions, too.
  switch (pass()) {
    case SharedTime::Pass::at_once:
      if (!anybody_computes()) {
        pass_at_once();
      } else if (quiet().count() >= time_.patience_ms()) {
        pass_with_the_wall();
      }
      break;
    case SharedTime::Pass::with_the_wall:
      if (quiet().count() >= (simulated_clock_ ? kComputes.count() : time_.patience_ms())) pass_with_the_wall();
      break;
    case SharedTime::Pass::not_at_all:
      break;
  }
  wake_up();
}

void ShellServer::pass_at_once() {
  const std::optional<Picoseconds> next = next_wakeup();
  if (!next || *next <= simulated_time()) return;
  const WallClock::time_point begin = WallClock::now();
  const Picoseconds span = std::min(slice_.length(), *next - simulated_time());
  advance(span);
  slice_.learn(span, WallClock::now() - begin);
}

void ShellServer::pass_with_the_wall() {
  // Time that could not be simulated soon enough is not caught up: the user has waited already.
  const auto most = std::chrono::milliseconds(time_.patience_ms()) + 2 * kSlice;
  const WallClock::time_point wall = WallClock::now();
  const auto passed = std::min<WallClock::duration>(wall - last_news_, most);
  last_news_ = wall;
  time_.give_up();
  Picoseconds span = scaled(static_cast<std::uint64_t>(std::chrono::nanoseconds(passed).count()), scale_);
  if (const auto next = next_wakeup()) span = std::min(span, std::max(*next, simulated_time()) - simulated_time());
  advance(span);
}

void ShellServer::advance(Picoseconds span) {
  const Picoseconds end = simulated_time() + span;
  while (simulated_time() < end) {
    const std::optional<Picoseconds> rotation = service_.next_rotation();
    if (rotation && *rotation <= simulated_time()) {
      service_.rotate();
      continue;
    }
    sc_core::wait(to_sc_time(std::min(end, rotation.value_or(end)) - simulated_time()));
  }
}

void ShellServer::wake_up() {
  if (timers_.ring(simulated_time())) last_news_ = WallClock::now();
  for (const int socket : time_.due(simulated_time())) {
    time_.end_wait(socket);
    answered_.insert(socket);
    send_reply(socket, {});
    last_news_ = WallClock::now();
    all_wait_ = false;
  }
}

std::vector<pollfd> ShellServer::files() const {
  std::vector<pollfd> files;
  for (const auto& [socket, handle] : event_sockets_) files.push_back({socket, POLLIN, 0});
  for (const int pipe : timers_.pipes()) files.push_back({pipe, 0, 0});
  for (const auto& [socket, process] : connections_) files.push_back({socket, POLLIN, 0});
  for (const auto& [descriptor, process] : processes_) files.push_back({descriptor, POLLIN, 0});
  if (accept_again_ <= WallClock::now()) files.push_back({listener_.get(), POLLIN, 0});
  files.push_back({stop_, POLLIN, 0});
  return files;
}

bool ShellServer::look(int timeout_ms) {
  std::vector<pollfd> files = this->files();
  if (poll(files.data(), files.size(), timeout_ms) <= 0) return false;
  // The order matters: what a process closed when it ended comes before its end, and its end before whatever follows.
  bool news = false;
  for (const pollfd& file : files) {
    if (file.revents != 0 && serve_file(file.fd)) news = true;
  }
  return news;
}

bool ShellServer::serve_file(int file) {
  if (file == listener_.get()) {
    accept_one();
    return false;  // it has said nothing yet
  }
  if (file == stop_) {
    stopped_ = true;
  } else if (const auto event = event_sockets_.find(file); event != event_sockets_.end()) {
    serve_event(file, event->second);
  } else if (const auto asking = connections_.find(file); asking != connections_.end()) {
    return serve_connection(file, asking->second);
  } else if (const auto process = processes_.find(file); process != processes_.end()) {
    end_process(process->second);
    processes_.erase(process);
    close(file);
  } else {
    return timers_.abandon(file);
  }
  return true;
}

/// A child may have copies of its connections, and would keep them open.
void ShellServer::end_process(pid_t process) {
  std::vector<int> sockets;
  for (const auto& [socket, owner] : connections_) {
    if (owner == process) sockets.push_back(socket);
  }
  for (const int socket : sockets) drop_connection(socket);
  time_.leave(process);
  timers_.forget(process, true);
}

void ShellServer::drop_connection(int socket) {
  time_.end_wait(socket);
  answered_.erase(socket);
  connections_.erase(socket);
  close(socket);
}

void ShellServer::accept_one() {
  const int socket = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
  if (socket < 0) {
    // The connection stays in the queue, so poll() would not wait. Clients that hold the resources have to leave first.
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
      accept_again_ = WallClock::now() + kNoRoom;
    return;
  }
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != geteuid()) {
    close(socket);
    return;
  }
  connections_.emplace(socket, peer.pid);
}

bool ShellServer::serve_connection(int socket, pid_t process) {
  const std::optional<pmufab_shell_request> request = receive(socket);
  if (!request) {
    const bool waited = time_.is_waiting(socket);
    drop_connection(socket);
    return waited;
  }
  if (refuse_other_version(socket, *request)) return false;
  answer(socket, process, *request);
  // These requests change nothing, however often they are sent.
  return request->call != PMUFAB_SHELL_CLOCK && request->call != PMUFAB_SHELL_CONFIG_READ &&
         request->call != PMUFAB_SHELL_CONFIG_WRITE;
}

void ShellServer::answer(int socket, pid_t process, const pmufab_shell_request& request) {
  pmufab_shell_reply reply{};
  switch (request.call) {
    case PMUFAB_SHELL_JOIN:
      join(process);
      timers_.forget(process, false);
      break;
    case PMUFAB_SHELL_CLOCK:
      read_clock(reply);
      break;
    case PMUFAB_SHELL_WAIT:
      if (request.argument[0] <= PMUFAB_SHELL_POLL) {
        begin_wait(socket, process, request);
        return;  // answered when the time has come
      }
      reply.result = -EINVAL;
      break;
    case PMUFAB_SHELL_AWAKE:
      if (const auto until = time_.wakeup(socket))
        reply.value = unscaled(std::max(*until, simulated_time()) - simulated_time(), scale_);
      time_.end_wait(socket);
      break;
    case PMUFAB_SHELL_OPEN:
      open_event(socket, process, request);
      return;
    case PMUFAB_SHELL_READ:
    case PMUFAB_SHELL_IOCTL:
      ask_event(request, reply);
      break;
    case PMUFAB_SHELL_CONFIG_READ:
    case PMUFAB_SHELL_CONFIG_WRITE:
      access_config(request, reply);
      break;
    case PMUFAB_SHELL_TIMER_MAKE:
    case PMUFAB_SHELL_TIMER_SET:
    case PMUFAB_SHELL_TIMER_DROP:
      answer_of_timers(socket, process, request);
      return;
    default:
      reply.result = -ENOSYS;
  }
  send_reply(socket, reply);
}

/// Otherwise programs have the host's timers.
void ShellServer::answer_of_timers(int socket, pid_t process, const pmufab_shell_request& request) {
  pmufab_shell_reply reply{};
  if (!simulated_clock_) {
    reply.result = -ENOSYS;
  } else if (request.call == PMUFAB_SHELL_TIMER_MAKE) {
    make_timer(socket, process, request);
    return;
  } else if (request.call == PMUFAB_SHELL_TIMER_SET) {
    set_timer(process, request, reply);
  } else {
    reply.result = timers_.drop(request.argument[0]) ? 0 : -EINVAL;
  }
  send_reply(socket, reply);
}

void ShellServer::make_timer(int socket, pid_t process, const pmufab_shell_request& request) {
  pmufab_shell_reply reply{};
  ProgramTimers::Notice notice{.signal = static_cast<int>(request.argument[0]),
                               .value = request.argument[1],
                               .thread = static_cast<pid_t>(request.argument[2]),
                               .clock = static_cast<std::uint32_t>(request.argument[3] >> 32)};
  process::Descriptor reader;
  if (notice.signal < 0 || notice.signal > SIGRTMAX) reply.result = -EINVAL;
  if (notice.signal == 0) {
    int ends[2] = {-1, -1};
    // A pipe of packets: what a reader has no room for does not become another packet.
    if (pipe2(ends, O_CLOEXEC | O_DIRECT | O_NONBLOCK) != 0) reply.result = -EMFILE;
    reader = process::Descriptor(ends[0]);
    notice.pipe = ends[1];
    if ((request.argument[3] & TFD_NONBLOCK) == 0) fcntl(reader.get(), F_SETFL, 0);
  }
  if (reply.result == 0) {
    join(process);
    reply.value = timers_.make(process, notice);
    if (reply.value == 0) reply.result = -EAGAIN;
  }
  send_reply(socket, reply, reply.result == 0 ? reader.get() : -1);
  if (reply.result != 0 && notice.pipe >= 0) close(notice.pipe);
}

void ShellServer::set_timer(pid_t process, const pmufab_shell_request& request, pmufab_shell_reply& reply) {
  const auto before = timers_.get(process, request.argument[0], simulated_time());
  if (!before) {
    reply.result = -EINVAL;
    return;
  }
  const auto nanoseconds = [&](Picoseconds span) {
    return span == 0 ? 0 : std::max<std::uint64_t>(unscaled(span, scale_), 1);
  };
  reply.value = nanoseconds(before->setting.left);
  const pmufab_shell_timer timer{nanoseconds(before->setting.interval), before->clock, before->overrun};
  std::memcpy(reply.data, &timer, sizeof(timer));
  reply.length = sizeof(timer);
  if (request.argument[3] == 0) return;
  join(process);
  timers_.set(process, request.argument[0], {scaled(request.argument[1], scale_), scaled(request.argument[2], scale_)},
              simulated_time());
}

void ShellServer::access_config(const pmufab_shell_request& request, pmufab_shell_reply& reply) {
  const auto function = static_cast<std::uint32_t>(request.argument[0]);
  if (request.call == PMUFAB_SHELL_CONFIG_WRITE) {
    reply.result = service_.write_config(function, request.argument[1], request.data, request.length);
    return;
  }
  const std::vector<std::uint8_t> bytes = service_.read_config(
      function, request.argument[1], std::min<std::uint64_t>(request.argument[2], PMUFAB_SHELL_DATA));
  std::ranges::copy(bytes, reply.data);
  reply.length = static_cast<std::uint32_t>(bytes.size());
}

void ShellServer::begin_wait(int socket, pid_t process, const pmufab_shell_request& request) {
  const std::uint64_t kind = request.argument[0];
  if (kind == PMUFAB_SHELL_CHILD) {
    time_.begin_wait(socket, process, SharedTime::Wait::child, std::nullopt);
    return;
  }
  const Picoseconds left = kEndOfTime - std::min(simulated_time(), kEndOfTime);
  const Picoseconds span = scaled(request.argument[1], scale_);
  const bool is_sleep = kind == PMUFAB_SHELL_SLEEP;
  if (is_sleep && span >= left) {
    pmufab_shell_reply reply{};
    reply.result = -EINVAL;
    reply.value = unscaled(left, scale_);
    send_reply(socket, reply);
    return;
  }
  time_.begin_wait(socket, process, is_sleep ? SharedTime::Wait::sleep : SharedTime::Wait::poll,
                   simulated_time() + std::min(span, left));
}

void ShellServer::join(pid_t process) {
  if (time_.has_joined(process)) return;
  const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (descriptor < 0) return;  // gone already
  processes_.emplace(descriptor, process);
  time_.join(process, process::parent_of(process));
}

void ShellServer::join_children() {
  children_known_ = true;
  std::vector<pid_t> parents = time_.processes();
  for (std::size_t i = 0; i < parents.size(); ++i) {
    for (const pid_t child : process::living_children(parents[i])) {
      if (time_.has_joined(child)) continue;
      join(child);
      parents.push_back(child);
      last_news_ = WallClock::now();
    }
  }
}

void ShellServer::open_event(int socket, pid_t process, const pmufab_shell_request& request) {
  pmufab_shell_reply reply{};
  perf_event_attr attributes{};
  int ends[2];
  reply.result = check_open_flags(request.argument[3]);
  if (reply.result == 0) reply.result = take_attributes({request.data, request.length}, attributes);
  if (reply.result == -E2BIG) reply.value = kAttributesSize;
  if (reply.result == 0 && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) reply.result = -EMFILE;
  if (reply.result < 0) {
    send_reply(socket, reply);
    return;
  }
  // Whoever reads the descriptor where the library does not see it is at its end, and does not wait for ever.
  shutdown(ends[0], SHUT_WR);
  join(process);
  constexpr std::uint64_t kHandles = std::numeric_limits<ShellService::Handle>::max();
  reply.result =
      request.argument[2] > kHandles
          ? -EBADF
          : service_.open(attributes, static_cast<pid_t>(request.argument[0]), static_cast<int>(request.argument[1]),
                          static_cast<ShellService::Handle>(request.argument[2]), request.argument[3]);
  if (reply.result > 0) {
    event_sockets_.emplace(ends[0], reply.result);
    reply.value = static_cast<std::uint64_t>(reply.result);
    open_events_.insert(reply.value);
    send_reply(socket, reply, ends[1]);
  } else {
    close(ends[0]);
    send_reply(socket, reply);
  }
  close(ends[1]);
}

void ShellServer::ask_event(const pmufab_shell_request& request, pmufab_shell_reply& reply) {
  const std::uint64_t number = request.argument[0];
  if (!open_events_.contains(number)) {
    reply.result = -EBADF;
    return;
  }
  const auto handle = static_cast<ShellService::Handle>(number);
  if (request.call == PMUFAB_SHELL_IOCTL) {
    reply.result = service_.control(handle, request.argument[1], request.argument[2], reply.value);
    return;
  }
  const std::vector<std::uint64_t> words =
      service_.read(handle, std::min<std::uint64_t>(request.argument[1], PMUFAB_SHELL_DATA), reply.result);
  if (reply.result < 0 || words.empty()) return;
  reply.length = static_cast<std::uint32_t>(words.size() * sizeof(std::uint64_t));
  std::memcpy(reply.data, words.data(), reply.length);
}

/// An event lives as long as its descriptor. What is written to it, where the library does not see it, has no meaning.
void ShellServer::serve_event(int socket, ShellService::Handle handle) {
  pollfd other_end{socket, 0, 0};
  if (poll(&other_end, 1, 0) == 0) {
    char byte = 0;
    recv(socket, &byte, sizeof(byte), MSG_DONTWAIT);
    return;
  }
  service_.close(handle);
  open_events_.erase(static_cast<std::uint64_t>(handle));
  event_sockets_.erase(socket);
  close(socket);
}

}  // namespace pmufab::shell
