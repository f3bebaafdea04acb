// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "models/plugin/part/plugin_spec.h"
#include "models/plugin/plugin.h"
#include "models/soc/source.h"
#include "tlm/firmware/firmware_description.h"
#include "tlm/interrupt/interrupt.h"
#include "tlm/registers/register_bank.h"
#include "tlm/registers/register_spec.h"

/// What a plug-in sees of pmufab. Not a public header.
namespace pmufab::platform {

/// The plug-in asked its host for something impossible.
class HostRefusal : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// What a plug-in calls its things goes to terminals and reports.
/// @throws HostRefusal for a name that cannot be printed as it is
void check_plugin_name(std::string_view what, const std::string& name);

/// @return an exception in words
[[nodiscard]] std::string words_of(const std::exception_ptr& exception);

/// While it lives, the process of SystemC that made it is in the plug-in's code.
class InPlugin {
 public:
  /// @param where  lives longer: "window timer of the plug-in my.so"
  explicit InPlugin(const std::string& where);
  ~InPlugin();
  InPlugin& operator=(InPlugin&&) = delete;

  /// @return where the present process is; null: in no plug-in's code
  [[nodiscard]] static const std::string* present() noexcept;

 private:
  const void* process_;
  const std::string& where_;
  InPlugin* outer_;
};

/// One source of one socket.
class PluginSource final : public plugin::Source {
 public:
  void witness(const plugin::Occurrence& occurrence) override;
  void signal(const plugin::Occurrence& occurrence) override;

  void connect(soc::Source* to) noexcept { to_ = to; }
  [[nodiscard]] std::uint64_t witnessed() const noexcept { return witnessed_; }

 private:
  soc::Source* to_ = nullptr;
  std::uint64_t witnessed_ = 0;
};

class PluginInterrupt final : public plugin::Interrupt {
 public:
  PluginInterrupt(std::uint32_t its_number, const std::string& name, InterruptTrigger trigger)
      : number(its_number), line(name, trigger) {}
  void drive(bool high) override { line.drive(high); }

  const std::uint32_t number;
  InterruptLine line;
};

class PluginHost;

/// What leads from the bus to a target of the plug-in. Where the target throws, the simulation ends.
class WindowPort : public sc_core::sc_module {
 public:
  /// @param bus_name  "my_timer.registers"
  /// @throws HostRefusal for registers that are impossible
  WindowPort(const sc_core::sc_module_name& name, PluginHost& host, plugin::Window window, std::string bus_name);

  [[nodiscard]] const plugin::Window& window() const noexcept { return window_; }
  [[nodiscard]] const std::string& bus_name() const noexcept { return bus_name_; }
  /// @return null without described registers
  [[nodiscard]] const RegisterBank* bank() const noexcept { return bank_.get(); }

  tlm_utils::simple_target_socket<WindowPort, 64> socket;

 private:
  virtual void forward(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) = 0;
  virtual unsigned forward_debug(tlm::tlm_generic_payload& payload) = 0;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  void make_bank();
  /// Tell who asks for it which register is about to be accessed.
  void note(const tlm::tlm_generic_payload& payload) const;
  /// @return what the target's debug transport reads; the reset value if it has none
  [[nodiscard]] std::uint64_t look(const plugin::Register& reg);

  PluginHost& host_;
  plugin::Window window_;
  std::string bus_name_;
  std::string where_;
  std::deque<FieldSpec> fields_;
  std::vector<RegisterSpec> registers_;
  std::unique_ptr<RegisterBank> bank_;
};

/// Gives a plug-in its parameters, and keeps what it declares.
class PluginHost final : public plugin::Host {
 public:
  explicit PluginHost(const PluginSpec& spec);

  [[nodiscard]] unsigned sockets() const override { return sockets_; }
  [[nodiscard]] unsigned cpus_per_socket() const override { return cpus_per_socket_; }
  [[nodiscard]] std::string text(const std::string& name, const std::string& otherwise) override;
  [[nodiscard]] std::uint64_t number(const std::string& name, std::uint64_t otherwise, std::uint64_t least,
                                     std::uint64_t most) override;
  void map(const plugin::Window& window, tlm::tlm_base_target_socket_b<32>& target) override;
  void map(const plugin::Window& window, tlm::tlm_base_target_socket_b<64>& target) override;
  plugin::Interrupt& interrupt(std::uint32_t number, plugin::Trigger trigger) override;
  void device(const plugin::Device& device) override;
  void coresight_node(const plugin::CoreSightNode& node) override;
  plugin::Source& source(const std::string& name, const std::vector<std::string>& attributes, unsigned socket) override;

  /// Nothing can be declared any more.
  void close() noexcept { is_closed_ = true; }
  /// The plug-in has failed: the first error stays.
  void fail(const std::string& what);

  // What it declared.
  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] PluginFacts& facts() noexcept { return facts_; }
  [[nodiscard]] const std::vector<std::unique_ptr<WindowPort>>& ports() const noexcept { return ports_; }
  [[nodiscard]] const std::vector<AcpiDevice>& devices() const noexcept { return devices_; }
  [[nodiscard]] const std::vector<ApmtNode>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] const std::vector<std::unique_ptr<PluginSource>>& sources() const noexcept { return sources_; }
  /// @return null: there is no such source
  [[nodiscard]] PluginSource* find_source(const std::string& name, unsigned socket) const;
  [[nodiscard]] const std::exception_ptr& failure() const noexcept { return failure_; }

 private:
  template <unsigned BUSWIDTH>
  void add_port(const plugin::Window& window, tlm::tlm_base_target_socket_b<BUSWIDTH>& target);
  /// @param what  for messages: "the device ACME0002"
  void add_device(const plugin::Device& device, std::string what);
  void check_window(const plugin::Window& window) const;
  void check_open(std::string_view what, const std::string& name) const;
  [[nodiscard]] InterruptResource find_interrupt(std::uint32_t number);

  std::string file_;
  std::map<std::string, std::string> given_;
  unsigned sockets_;
  unsigned cpus_per_socket_;
  bool is_closed_ = false;
  PluginFacts facts_;
  std::vector<std::unique_ptr<WindowPort>> ports_;
  std::vector<std::unique_ptr<PluginInterrupt>> interrupts_;
  std::vector<AcpiDevice> devices_;
  std::vector<ApmtNode> nodes_;
  std::vector<std::unique_ptr<PluginSource>> sources_;  // number of the source times sockets, plus the socket
  std::exception_ptr failure_;
};

}  // namespace pmufab::platform
