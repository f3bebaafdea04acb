// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/register_server/server.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "testbench/doors/register_server/gdb_packet.h"
#include "testbench/doors/register_server/gdb_session.h"
#include "testbench/doors/register_server/listener.h"

namespace pmufab::register_server {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Protocol = asio::generic::stream_protocol;

constexpr std::size_t kMostInput = 1 << 16;       // bytes that wait while a command waits
constexpr std::size_t kMostTurns = 256;           // before simulated time has its turn
constexpr std::chrono::milliseconds kNoRoom{20};  // before connections are looked at again

/// The object that gets it closes its own.
int copy_of(int descriptor) {
  const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) throw std::system_error(errno, std::generic_category(), "a copy of a file descriptor");
  return copy;
}

}  // namespace

/// What the handlers of Boost.Asio see. They move bytes; what bytes mean is looked at outside of them.
class Server::Sockets {
 public:
  Sockets(const Listener& listener, int stop, Target& target, Log log)
      : target_(target),
        log_(std::move(log)),
        acceptor_(io_, Protocol(listener.is_local ? AF_UNIX : AF_INET, 0), copy_of(listener.socket.get())),
        stop_(io_, copy_of(stop)),
        again_(io_) {
    stop_.async_wait(asio::posix::stream_descriptor::wait_read, [this](const error_code&) { is_stopped_ = true; });
    accept();
  }

  void serve(std::optional<std::chrono::milliseconds> patience) {
    io_.restart();
    if (first_with_work() != nullptr) patience = std::chrono::milliseconds(0);
    if (patience) {
      io_.run_one_for(*patience);
    } else {
      io_.run_one();
    }
    for (std::size_t turn = 0; turn < kMostTurns && !is_stopped_; ++turn) {
      io_.restart();
      io_.poll();
      Client* const next = first_with_work();
      if (next != nullptr) answer(*next);
      seat();
      if (next == nullptr) return;
    }
  }

  [[nodiscard]] std::optional<std::uint64_t> first_wait() const {
    std::optional<std::uint64_t> first;
    for (const std::shared_ptr<Client>& client : clients_) {
      const std::optional<std::uint64_t> until = client->session.waits_until();
      if (until) first = std::min(first.value_or(*until), *until);
    }
    return first;
  }

  [[nodiscard]] bool is_stopped() const noexcept { return is_stopped_; }
  [[nodiscard]] std::size_t clients() const noexcept { return clients_.size(); }

 private:
  struct Client {
    Client(Protocol::socket its_socket, Target& target) : socket(std::move(its_socket)), session(target) {}

    Protocol::socket socket;
    Session session;
    std::array<char, 4096> buffer{};
    std::string input;
    std::string sent;           // what is being sent
    std::uint64_t arrived = 0;  // whose is the smallest, has its turn
    bool is_open = true;        // it may send more
    bool is_gone = false;       // it does not take answers
    bool reads = false;
    bool writes = false;
  };

  void accept() {
    acceptor_.async_accept([this](const error_code& error, Protocol::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {  // no file descriptors are left: who holds them has to go first
        again_.expires_after(kNoRoom);
        again_.async_wait([this](const error_code& cancelled) {
          if (!cancelled) accept();
        });
        return;
      }
      if (is_of_this_user(socket.native_handle())) {
        newcomer_.emplace(std::move(socket));
        return;  // until it has its place
      }
      tell("a client is refused: it is of another user");
      accept();
    });
  }

  /// Done when all that has happened is known: a client that has gone before another connected leaves its place to it.
  void seat() {
    if (!newcomer_) return;
    const auto leaves = [](const auto& client) { return !client->is_open && !client->writes; };
    if (clients_.size() < kMostClients) {
      clients_.push_back(std::make_shared<Client>(std::move(*newcomer_), target_));
      tell("a client has connected");
      read(clients_.back());
    } else if (std::ranges::any_of(clients_, leaves)) {
      return;
    } else {
      refuse(*newcomer_);
    }
    newcomer_.reset();
    accept();
  }

  /// As the answer to its first packet, which it sends in any case.
  void refuse(Protocol::socket& socket) const {
    const std::string why = fmt::format("{} clients are served already", kMostClients);
    const std::string answer = "+" + framed("E." + why);
    static_cast<void>(!send(socket.native_handle(), answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
    tell("a client is refused: " + why);
  }

  void read(const std::shared_ptr<Client>& client) {
    if (client->reads || !client->is_open || client->input.size() >= kMostInput) return;
    client->reads = true;
    client->socket.async_read_some(asio::buffer(client->buffer),
                                   [client, this](const error_code& error, std::size_t size) {
                                     client->reads = false;
                                     if (client->input.empty()) client->arrived = ++arrivals_;
                                     client->input.append(client->buffer.data(), size);
                                     if (error) client->is_open = false;
                                     read(client);
                                   });
  }

  [[nodiscard]] bool has_work(const Client& client) const {
    if (client.writes) return false;
    if (client.is_gone || client.session.is_over() || !client.is_open) return true;
    if (const std::optional<std::uint64_t> until = client.session.waits_until())
      return target_.time() >= *until || Session::is_interrupted_by(client.input);
    return !client.input.empty();
  }

  [[nodiscard]] Client* first_with_work() const {
    Client* first = nullptr;
    for (const std::shared_ptr<Client>& client : clients_) {
      if (has_work(*client) && (first == nullptr || client->arrived < first->arrived)) first = client.get();
    }
    return first;
  }

  /// A client that does not read its answers gets no more of them. One that has said all it wants to say still gets
  /// them.
  void answer(Client& next) {
    const auto place = std::ranges::find_if(clients_, [&](const auto& client) { return client.get() == &next; });
    const std::shared_ptr<Client> client = *place;
    if (client->session.waits_until()) client->session.end_wait();
    client->input.erase(0, client->session.receive(client->input, 1));
    client->arrived = ++arrivals_;
    client->sent = std::exchange(client->session.output(), {});
    const bool is_silent = client->session.is_over() || (!client->is_open && client->input.empty());
    if (client->is_gone || (client->sent.empty() && is_silent && !client->session.waits_until())) {
      error_code ignored;
      client->socket.close(ignored);
      clients_.erase(place);
      return tell("a client has gone");
    }
    read(client);
    if (client->sent.empty()) return;
    client->writes = true;
    asio::async_write(client->socket, asio::buffer(client->sent), [client](const error_code& error, std::size_t) {
      client->writes = false;
      if (error) client->is_gone = true;
    });
  }

  void tell(const std::string& text) const {
    if (log_) log_(text);
  }

  Target& target_;
  Log log_;
  asio::io_context io_{1};
  asio::basic_socket_acceptor<Protocol> acceptor_;
  asio::posix::stream_descriptor stop_;
  asio::steady_timer again_;
  std::vector<std::shared_ptr<Client>> clients_;
  std::optional<Protocol::socket> newcomer_;
  std::uint64_t arrivals_ = 0;
  bool is_stopped_ = false;
};

Server::Server(const Listener& listener, int stop, Target& target, Log log)
    : sockets_(std::make_unique<Sockets>(listener, stop, target, std::move(log))) {}
Server::~Server() = default;

void Server::serve(std::optional<std::chrono::milliseconds> patience) { sockets_->serve(patience); }
bool Server::is_stopped() const noexcept { return sockets_->is_stopped(); }
std::optional<std::uint64_t> Server::first_wait() const { return sockets_->first_wait(); }
std::size_t Server::clients() const noexcept { return sockets_->clients(); }

}  // namespace pmufab::register_server
