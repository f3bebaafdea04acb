// SPDX-License-Identifier: Apache-2.0
#include "testbench/register_server/server.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "testbench/register_server/peer.h"
#include "testbench/register_server/session.h"

namespace pmufab::register_server {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Protocol = asio::generic::stream_protocol;

constexpr std::size_t kMostInput = 1 << 16;       // bytes that wait while a command runs
constexpr std::chrono::milliseconds kNoRoom{20};  // before connections are looked at again

/// The object that gets it closes its own.
int copy_of(int descriptor) {
  const int copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) throw std::system_error(errno, std::generic_category(), "a copy of a file descriptor");
  return copy;
}

}  // namespace

/// What the handlers of Boost.Asio see. They move bytes; what bytes mean is looked at outside of them, because a command
/// lets simulated time pass, and handlers must be called meanwhile.
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
    if (has_work()) patience = std::chrono::milliseconds(0);
    if (patience) {
      io_.run_one_for(*patience);
    } else {
      io_.run_one();
    }
    io_.poll();
    answer();
  }

  [[nodiscard]] bool is_interrupted() {
    io_.restart();
    io_.poll();
    return is_stopped_ || !client_->is_open || client_->session.is_interrupted_by(client_->input);
  }

  [[nodiscard]] bool is_stopped() const noexcept { return is_stopped_; }
  [[nodiscard]] bool has_client() const noexcept { return client_ != nullptr; }

 private:
  struct Client {
    Client(Protocol::socket its_socket, Target& target) : socket(std::move(its_socket)), session(target) {}

    Protocol::socket socket;
    Session session;
    std::array<char, 4096> buffer{};
    std::string input;
    std::string sent;      // what is being sent
    bool is_open = true;   // it may send more
    bool is_gone = false;  // it does not take answers
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
      take(std::move(socket));
      accept();
    });
  }

  void take(Protocol::socket socket) {
    if (!is_of_this_user(socket.native_handle())) return tell("a client is refused: it is of another user");
    if (client_ != nullptr) return tell("a second client is refused");
    client_ = std::make_shared<Client>(std::move(socket), target_);
    tell("a client has connected");
    read();
  }

  void read() {
    if (client_->reads || !client_->is_open || client_->input.size() >= kMostInput) return;
    client_->reads = true;
    client_->socket.async_read_some(asio::buffer(client_->buffer),
                                    [client = client_, this](const error_code& error, std::size_t size) {
                                      client->reads = false;
                                      client->input.append(client->buffer.data(), size);
                                      if (error) client->is_open = false;
                                      if (client == client_) read();
                                    });
  }

  [[nodiscard]] bool has_work() const {
    return client_ != nullptr && !client_->writes &&
           (!client_->input.empty() || !client_->is_open || client_->is_gone || client_->session.is_over());
  }

  /// A client that does not read its answers gets no more of them. One that has said all it wants to say still gets
  /// them.
  void answer() {
    if (!has_work()) return;
    // A command in it may take long, and more comes meanwhile.
    const std::string bytes = std::exchange(client_->input, {});
    const std::size_t taken = client_->session.receive(bytes);
    client_->input.insert(0, bytes, taken);
    client_->sent = std::exchange(client_->session.output(), {});
    const bool is_silent = client_->session.is_over() || (!client_->is_open && client_->input.empty());
    if (client_->is_gone || (client_->sent.empty() && is_silent)) {
      error_code ignored;
      client_->socket.close(ignored);
      client_.reset();
      return tell("the client has gone");
    }
    read();
    if (client_->sent.empty()) return;
    client_->writes = true;
    asio::async_write(client_->socket, asio::buffer(client_->sent),
                      [client = client_](const error_code& error, std::size_t) {
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
  std::shared_ptr<Client> client_;
  bool is_stopped_ = false;
};

Server::Server(const Listener& listener, int stop, Target& target, Log log)
    : sockets_(std::make_unique<Sockets>(listener, stop, target, std::move(log))) {}
Server::~Server() = default;

void Server::serve(std::optional<std::chrono::milliseconds> patience) { sockets_->serve(patience); }
bool Server::is_stopped() const noexcept { return sockets_->is_stopped(); }
bool Server::is_interrupted() { return sockets_->is_interrupted(); }
bool Server::has_client() const noexcept { return sockets_->has_client(); }

}  // namespace pmufab::register_server
