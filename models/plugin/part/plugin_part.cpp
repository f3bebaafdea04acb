// SPDX-License-Identifier: Apache-2.0
#include "models/plugin/part/plugin_part.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>

#include "models/plugin/part/plugin_host.h"
#include "models/plugin/part/plugin_library.h"
#include "tlm/bus/mmio_bus.h"

namespace pmufab::platform {
namespace {

/// Of the one plug-in of this process, for plugin_place(): "the plug-in my.so", and the beginning of its processes' names.
std::string present_plugin;
std::string present_processes;

/// Binds the bus of a plug-in that is alone.
struct IdleInitiator : sc_core::sc_module {
  explicit IdleInitiator(const sc_core::sc_module_name& name) : sc_core::sc_module(name), socket("socket") {}
  tlm_utils::simple_initiator_socket<IdleInitiator, 64> socket;
};

}  // namespace

/// The module that all modules of the plug-in are below.
class PluginPart::Shell final : public sc_core::sc_module {
 public:
  Shell(const sc_core::sc_module_name& module_name, const std::function<void()>& make)
      : sc_core::sc_module(module_name) {
    present_processes = std::string(name()) + ".";
    make();
  }
};

PartClaims PluginSpec::claims(const PlatformSpec& /*platform*/) const {
  constexpr const char* kField = "plugin";
  PartClaims claims;
  claims.gives_way = true;
  for (const PluginFacts::Window& window : facts.windows)
    claims.windows.push_back({fmt::format("window {}.{}", facts.name, window.name), window.base, window.size, kField});
  for (const std::uint32_t number : facts.interrupts) claims.interrupts.push_back({number, "the plugin", kField});
  claims.devices = facts.devices;
  for (PartClaims::Device& device : claims.devices) device.field = kField;
  return claims;
}

void PluginSpec::make(const PlatformSpec& /*platform*/, PlatformParts& parts) const {
  parts.push_back(std::make_unique<PluginPart>(*this));
}

PluginPart::PluginPart(const PluginSpec& spec) : file_(spec.file), host_(std::make_unique<PluginHost>(spec)) {
  const plugin::Descriptor& descriptor = load_plugin(spec.file, spec.path);
  present_plugin = "the plug-in " + file_;
  call("while it was made", [&] {
    check_plugin_name("the plug-in", descriptor.name);
    host_->facts().name = descriptor.name;
    shell_ = std::make_unique<Shell>("plugin", [&] { plugin_.reset(descriptor.make(*host_)); });
    if (plugin_ == nullptr) throw PluginError(file_, "returned nothing from the function that makes it");
    host_->facts().has_traffic = plugin_->has_traffic();
  });
  host_->close();
}

PluginPart::~PluginPart() {
  {
    const std::string where = fmt::format("the plug-in {}, while it was destroyed", file_);
    const InPlugin here(where);
    plugin_.reset();
  }
  present_processes.clear();
}

void PluginPart::call(const char* doing, const std::function<void()>& code) const {
  const std::string where = fmt::format("the plug-in {}, {}", file_, doing);
  try {
    const InPlugin here(where);
    code();
  } catch (const sc_core::sc_unwind_exception&) {  // the process is killed
    throw;
  } catch (const PluginError&) {
    throw;
  } catch (const HostRefusal& refusal) {
    throw PluginError(file_, fmt::format("asks for something impossible: {}", refusal.what()));
  } catch (...) {
    throw PluginError(file_, fmt::format("threw {}: {}", doing, words_of(std::current_exception())));
  }
}

void PluginPart::map(MmioBus& bus) {
  for (const auto& port : host_->ports()) {
    const plugin::Window& window = port->window();
    try {
      bus.map(port->bus_name(), window.base, window.size, port->socket);
    } catch (const std::invalid_argument& error) {
      throw PluginError(file_, fmt::format("asks for something impossible: {}", error.what()));
    }
  }
}

void PluginPart::describe(FirmwareDescription& firmware) {
  firmware.devices.insert(firmware.devices.end(), host_->devices().begin(), host_->devices().end());
  firmware.apmt.insert(firmware.apmt.end(), host_->nodes().begin(), host_->nodes().end());
}

void PluginPart::reset() {
  call("in reset()", [&] { plugin_->reset(); });
}

void PluginPart::add_registers(std::vector<NamedRegisters>& banks) const {
  for (const auto& port : host_->ports()) {
    if (port->bank() != nullptr) banks.push_back(registers_of(port->bus_name(), port->window().base, *port->bank()));
  }
}

void PluginPart::start_traffic(std::uint64_t seed) {
  call("in start_traffic()", [&] { plugin_->start_traffic(seed); });
}

void PluginPart::stop_traffic() {
  call("in stop_traffic()", [&] { plugin_->stop_traffic(); });
}

std::uint64_t PluginPart::witnessed() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& source : host_->sources()) sum += source->witnessed();
  return sum;
}

void PluginPart::connect(const std::string& source, unsigned socket, soc::Source* to) {
  PluginSource* const its = host_->find_source(source, socket);
  if (its == nullptr)
    throw PluginError(file_, fmt::format("has declared the source '{}' once, and not again: it must declare the same "
                                         "each time that it is made",
                                         source));
  its->connect(to);
}

const PluginFacts& PluginPart::facts() const noexcept { return host_->facts(); }

void PluginPart::rethrow(bool is_stopped) const {
  if (host_->failure()) std::rethrow_exception(host_->failure());
  if (is_stopped) throw PluginError(file_, "has stopped the simulation (sc_stop), which is not its own");
}

std::exception_ptr PluginPart::error_of(std::string_view process, const std::string& what) const {
  if (!process.starts_with(present_processes)) return nullptr;
  return std::make_exception_ptr(PluginError(file_, fmt::format("threw in its process {}: {}", process, what)));
}

PluginFacts examine_plugin(const PluginSpec& spec) {
  PluginPart part(spec);
  MmioBus bus("bus");
  IdleInitiator initiator("initiator");
  initiator.socket.bind(bus.socket);
  part.map(bus);
  try {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  } catch (...) {
    throw PluginError(spec.file,
                      fmt::format("threw when the simulation began: {}", words_of(std::current_exception())));
  }
  part.rethrow(sc_core::sc_get_status() == sc_core::SC_STOPPED);
  return part.facts();
}

std::string_view plugin_place(std::string_view library, std::span<char> room) noexcept {
  const auto put = [room](auto format, const auto&... values) {
    const auto written = fmt::format_to_n(room.data(), room.size(), format, values...);
    return std::string_view(room.data(), std::min(written.size, room.size()));
  };
  if (const std::string* const where = InPlugin::present(); where != nullptr) return put(FMT_STRING("{}"), *where);
  if (present_processes.empty()) return {};
  const bool is_on_stack = library == present_plugin;
  const sc_core::sc_object* const process = sc_core::sc_get_current_process_b();
  if (process != nullptr) {
    const std::string_view name = process->name();
    const bool is_its = is_on_stack || name.starts_with(present_processes);
    return is_its ? put(FMT_STRING("{}, process {}"), present_plugin, name) : std::string_view();
  }
  if (is_on_stack) return put(FMT_STRING("{}, outside of SystemC's processes"), present_plugin);
  // Most likely in one instant that does not end.
  return library.empty() ? put(FMT_STRING("SystemC's scheduler: processes of {} may wake each other"), present_plugin)
                         : std::string_view();
}

}  // namespace pmufab::platform
