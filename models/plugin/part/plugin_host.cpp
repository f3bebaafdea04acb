// SPDX-License-Identifier: Apache-2.0
#include "models/plugin/part/plugin_host.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "models/plugin/part/plugin_library.h"
#include "tlm/clock/clock_domain.h"
#include "tlm/registers/register_note.h"
#include "tlm/spec/printable.h"

namespace pmufab::platform {
namespace {

static_assert(plugin::kMostAttributes == kMaximumAttributes);

/// The innermost one of all processes, and those that were there before it.
InPlugin* innermost = nullptr;

/// @return null during elaboration
const void* present_process() { return sc_core::sc_get_current_process_b(); }

Occurrence occurrence_of(const plugin::Occurrence& occurrence) {
  return {occurrence.attributes, to_picoseconds(occurrence.duration), occurrence.repeat};
}

/// From a window of the bus to a target of any width.
template <unsigned BUSWIDTH>
class Port final : public WindowPort {
 public:
  Port(const sc_core::sc_module_name& name, PluginHost& host, plugin::Window window, std::string bus_name,
       tlm::tlm_base_target_socket_b<BUSWIDTH>& target)
      : WindowPort(name, host, std::move(window), std::move(bus_name)), out_("out") {
    out_.bind(target);
  }

 private:
  void forward(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override {
    out_->b_transport(payload, delay);
  }
  unsigned forward_debug(tlm::tlm_generic_payload& payload) override { return out_->transport_dbg(payload); }

  tlm_utils::simple_initiator_socket<Port, BUSWIDTH> out_;
};

/// "100", "0x2000_0000"
std::optional<std::uint64_t> number_of(std::string text) {
  std::erase(text, '_');
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  const char* const begin = text.data() + (is_hexadecimal ? 2 : 0);
  const char* const end = text.data() + text.size();
  std::uint64_t value = 0;
  const auto [rest, error] = std::from_chars(begin, end, value, is_hexadecimal ? 16 : 10);
  return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string words_of(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const sc_core::sc_report& report) {
    const std::string text = report.get_msg();
    return text.empty() ? report.get_msg_type() : fmt::format("{}: {}", report.get_msg_type(), text);
  } catch (const std::bad_alloc&) {
    return "memory ran out (--limit memory)";
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "something that is no std::exception";
  }
}

InPlugin::InPlugin(const std::string& where)
    : process_(present_process()), where_(where), outer_(std::exchange(innermost, this)) {}

// Processes enter and leave in any order: while one waits, another may enter.
InPlugin::~InPlugin() {
  for (InPlugin** at = &innermost; *at != nullptr; at = &(*at)->outer_) {
    if (*at != this) continue;
    *at = outer_;
    return;
  }
}

const std::string* InPlugin::present() noexcept {
  const void* const process = present_process();
  for (const InPlugin* at = innermost; at != nullptr; at = at->outer_) {
    if (at->process_ == process) return &at->where_;
  }
  return nullptr;
}

void PluginSource::witness(const plugin::Occurrence& occurrence) {
  witnessed_ += occurrence.repeat;
  if (to_ != nullptr && to_->is_heard()) to_->tell(occurrence_of(occurrence), simulated_time());
}

void PluginSource::signal(const plugin::Occurrence& occurrence) {
  if (to_ != nullptr && to_->is_heard()) to_->signal(occurrence_of(occurrence), simulated_time());
}

WindowPort::WindowPort(const sc_core::sc_module_name& name, PluginHost& host, plugin::Window window,
                       std::string bus_name)
    : sc_core::sc_module(name),
      socket("socket"),
      host_(host),
      window_(std::move(window)),
      bus_name_(std::move(bus_name)),
      where_(fmt::format("window {} of the plug-in {}", window_.name, host.file())) {
  socket.register_b_transport(this, &WindowPort::b_transport);
  socket.register_transport_dbg(this, &WindowPort::transport_dbg);
  if (!window_.registers.empty()) make_bank();
}

void WindowPort::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  try {
    const InPlugin here(where_);
    if (RegisterNote::is_asked_for() && bank_) note(payload);
    forward(payload, delay);
  } catch (const sc_core::sc_unwind_exception&) {  // the process is killed
    throw;
  } catch (...) {
    // A driver is above, in C: the exception cannot go through it.
    host_.fail(
        fmt::format("threw at an access to its window {}: {}", window_.name, words_of(std::current_exception())));
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    sc_core::sc_stop();
  }
}

void WindowPort::note(const tlm::tlm_generic_payload& payload) const {
  auto* const note = payload.get_extension<RegisterNote>();
  if (note == nullptr) return;
  const auto reg = std::find_if(registers_.begin(), registers_.end(), [&](const RegisterSpec& one) {
    return one.offset == payload.get_address() && one.width == payload.get_data_length() * 8;
  });
  if (reg == registers_.end()) return;
  note->bank = bank_->name();
  note->name = reg->name;
  note->registers = bank_.get();
  note->spec = &*reg;
  note->reg = bank_->find(reg->name);
  note->before = bank_->read(note->reg, 0, simulated_time());
}

unsigned WindowPort::transport_dbg(tlm::tlm_generic_payload& payload) {
  try {
    const InPlugin here(where_);
    return forward_debug(payload);
  } catch (...) {
    throw PluginError(host_.file(), fmt::format("threw when its window {} was looked at: {}", window_.name,
                                                words_of(std::current_exception())));
  }
}

std::uint64_t WindowPort::look(const plugin::Register& reg) {
  std::uint64_t value = 0;  // little endian, and so is the host
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(reg.offset);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
  payload.set_data_length(reg.bits / 8);
  payload.set_streaming_width(reg.bits / 8);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  return transport_dbg(payload) == reg.bits / 8 ? value : reg.reset;
}

void WindowPort::make_bank() {
  constexpr std::uint64_t kLargest = 1U << 28;
  for (const plugin::Register& reg : window_.registers) {
    check_plugin_name("register", reg.name);
    check_plugin_name("the meaning of a register", reg.meaning);
    if (reg.bits != 32 && reg.bits != 64)
      throw HostRefusal(fmt::format("register '{}' of window '{}' has {} bits; 32 and 64 are possible", reg.name,
                                    window_.name, reg.bits));
    fields_.push_back({.name = "VALUE",
                       .lsb = 0,
                       .width = static_cast<std::uint8_t>(reg.bits),
                       .access = reg.writable ? Access::rw : Access::ro,
                       .reset = reg.reset,
                       .meaning = reg.meaning});
    registers_.push_back({.name = reg.name,
                          .offset = reg.offset,
                          .width = static_cast<std::uint8_t>(reg.bits),
                          .fields = {&fields_.back(), 1}});
  }
  const std::uint64_t size = std::min(window_.size, kLargest);
  if (!layout_is_valid(registers_, size))
    throw HostRefusal(fmt::format("registers of window '{}' have a name twice, overlap, are not aligned, or do not fit",
                                  window_.name));
  bank_ = std::make_unique<RegisterBank>(
      RegisterBank::Options{.name = "platform." + bus_name_, .size = static_cast<std::uint32_t>(size)}, registers_);
  for (const plugin::Register& reg : window_.registers)
    bank_->on_read(bank_->find(reg.name), [this, &reg](unsigned, Picoseconds) { return look(reg); });
}

PluginHost::PluginHost(const PluginSpec& spec)
    : file_(spec.file), given_(spec.parameters), sockets_(spec.sockets), cpus_per_socket_(spec.cpus_per_socket) {}

std::string PluginHost::text(const std::string& name, const std::string& otherwise) {
  check_plugin_name("parameter", name);
  check_plugin_name("the value of a parameter", otherwise);
  const auto given = given_.find(name);
  return facts_.parameters.insert_or_assign(name, given == given_.end() ? otherwise : given->second).first->second;
}

std::uint64_t PluginHost::number(const std::string& name, std::uint64_t otherwise, std::uint64_t least,
                                 std::uint64_t most) {
  const std::string written = text(name, fmt::format("{}", otherwise));
  const std::optional<std::uint64_t> value = number_of(written);
  if (!value) throw HostRefusal(fmt::format("the parameter '{}' is no whole number: '{}'", name, written));
  if (*value < least || *value > most)
    throw HostRefusal(fmt::format("the parameter '{}' is {}, must be {} ... {}", name, *value, least, most));
  return *value;
}

void check_plugin_name(std::string_view what, const std::string& name) {
  if (const std::string safe = printable(name); safe != name)
    throw HostRefusal(fmt::format("{} '{}' has characters that cannot be printed", what, safe));
}

void PluginHost::check_open(std::string_view what, const std::string& name) const {
  check_plugin_name(what, name);
  if (is_closed_)
    throw HostRefusal(
        fmt::format("{} '{}' is declared after the plug-in was made: do it in that function", what, name));
}

void PluginHost::check_window(const plugin::Window& window) const {
  check_open("window", window.name);
  if (window.name.empty()) throw HostRefusal("a window has no name");
  if (window.size == 0) throw HostRefusal(fmt::format("window '{}' is empty", window.name));
  if (window.size - 1 > std::numeric_limits<std::uint64_t>::max() - window.base)
    throw HostRefusal(fmt::format("window '{}' runs past the end of the address space", window.name));
  for (const PluginFacts::Window& other : facts_.windows) {
    if (other.name == window.name) throw HostRefusal(fmt::format("there are two windows '{}'", window.name));
  }
}

template <unsigned BUSWIDTH>
void PluginHost::add_port(const plugin::Window& window, tlm::tlm_base_target_socket_b<BUSWIDTH>& target) {
  check_window(window);
  const std::string name = sc_core::sc_gen_unique_name("port");
  ports_.push_back(std::make_unique<Port<BUSWIDTH>>(name.c_str(), *this, window,
                                                    fmt::format("{}.{}", facts_.name, window.name), target));
  facts_.windows.push_back({window.name, window.base, window.size});
}

void PluginHost::map(const plugin::Window& window, tlm::tlm_base_target_socket_b<32>& target) {
  add_port(window, target);
}

void PluginHost::map(const plugin::Window& window, tlm::tlm_base_target_socket_b<64>& target) {
  add_port(window, target);
}

plugin::Interrupt& PluginHost::interrupt(std::uint32_t number, plugin::Trigger trigger) {
  const std::string name = fmt::format("{}.interrupt{}", facts_.name, number);
  check_open("interrupt", name);
  if (std::find(facts_.interrupts.begin(), facts_.interrupts.end(), number) != facts_.interrupts.end())
    throw HostRefusal(fmt::format("interrupt {} is declared twice", number));
  facts_.interrupts.push_back(number);
  return *interrupts_.emplace_back(std::make_unique<PluginInterrupt>(
      number, name, trigger == plugin::Trigger::edge ? InterruptTrigger::edge : InterruptTrigger::level));
}

InterruptResource PluginHost::find_interrupt(std::uint32_t number) {
  for (const auto& interrupt : interrupts_) {
    if (interrupt->number == number) return {number, &interrupt->line};
  }
  throw HostRefusal(fmt::format("a device has interrupt {}, which interrupt() has not given", number));
}

void PluginHost::device(const plugin::Device& device) {
  check_open("device", device.hid);
  if (device.hid.empty()) throw HostRefusal("a device has no hardware id");
  check_plugin_name("the uid of a device", device.uid);
  const std::string place = device.memory.empty() ? "" : fmt::format(" at {:#x}", device.memory.front().base);
  add_device(device, fmt::format("the device {}{}", device.hid, place));
}

void PluginHost::add_device(const plugin::Device& device, std::string what) {
  for (const PluginFacts::Device& other : facts_.devices) {
    if (other.hid == device.hid && other.uid == device.uid)
      throw HostRefusal(
          fmt::format("{} and {} have the same hid and instance ({}, {})", other.what, what, device.hid, device.uid));
  }
  facts_.devices.push_back({device.hid, device.uid, std::move(what)});
  AcpiDevice& its = devices_.emplace_back();
  its.hid = device.hid;
  its.uid = device.uid;
  for (const plugin::MemoryRange& range : device.memory) {
    its.memory.push_back({range.base, range.size});
    facts_.described.push_back({range.base, range.size});
  }
  for (const std::uint32_t number : device.interrupts) its.interrupts.push_back(find_interrupt(number));
  its.properties = device.properties;
  if (device.node) its.node = *device.node;
}

void PluginHost::coresight_node(const plugin::CoreSightNode& node) {
  constexpr std::size_t kHidSize = 8;
  constexpr std::uint32_t kFirstId = 0x4000'0000;  // far from those of other fabrics
  constexpr std::uint64_t kPageBytes = 0x1000;
  check_open("CoreSight node", node.hid);
  if (node.hid.size() != kHidSize) throw HostRefusal(fmt::format("the hid '{}' has not eight characters", node.hid));
  if (node.socket >= sockets_) throw HostRefusal(fmt::format("there is no socket {}", node.socket));
  ApmtNode its{};
  its.id = kFirstId + static_cast<std::uint32_t>(nodes_.size());
  its.type = ApmtNode::Type::acpi_device;
  std::memcpy(&its.instance_primary, node.hid.data(), kHidSize);  // little endian, and so is the host
  its.instance_secondary = node.instance;
  its.base0 = node.base;
  its.base1 = node.page1;
  if (node.interrupt) its.overflow_interrupt = find_interrupt(*node.interrupt);
  its.affinity_is_container = true;
  its.processor_affinity = node.socket;
  its.atomic_64bit = node.atomic_64bit;
  its.implementation_id = node.implementation_id;
  nodes_.push_back(its);
  facts_.described.push_back({node.base, kPageBytes});
  if (node.page1) facts_.described.push_back({*node.page1, kPageBytes});
  add_device({.hid = node.hid, .uid = fmt::format("{}", node.instance)},
             fmt::format("the CoreSight node at {:#x}", node.base));
}

plugin::Source& PluginHost::source(const std::string& name, const std::vector<std::string>& attributes,
                                   unsigned socket) {
  if (socket >= sockets_) throw HostRefusal(fmt::format("there is no socket {} for source '{}'", socket, name));
  const auto known = std::find_if(facts_.sources.begin(), facts_.sources.end(),
                                  [&](const soc::SourceDescription& one) { return one.name == name; });
  if (known != facts_.sources.end()) {
    if (known->attributes != attributes)
      throw HostRefusal(fmt::format("source '{}' is declared again, with other attributes", name));
    return *find_source(name, socket);
  }
  check_open("source", name);
  if (name.empty()) throw HostRefusal("a source has no name");
  for (const std::string& attribute : attributes) check_plugin_name("attribute", attribute);
  if (attributes.size() > plugin::kMostAttributes)
    throw HostRefusal(fmt::format("source '{}' has {} attributes; {} are possible", name, attributes.size(),
                                  plugin::kMostAttributes));
  if (std::set<std::string>(attributes.begin(), attributes.end()).size() != attributes.size())
    throw HostRefusal(fmt::format("source '{}' has an attribute twice", name));
  facts_.sources.push_back({name, attributes, soc::Cause::plugin});
  for (unsigned i = 0; i < sockets_; ++i) sources_.push_back(std::make_unique<PluginSource>());
  return *find_source(name, socket);
}

PluginSource* PluginHost::find_source(const std::string& name, unsigned socket) const {
  for (std::size_t index = 0; index < facts_.sources.size(); ++index) {
    if (facts_.sources[index].name == name) return sources_[index * sockets_ + socket].get();
  }
  return nullptr;
}

void PluginHost::fail(const std::string& what) {
  if (!failure_) failure_ = std::make_exception_ptr(PluginError(file_, what));
}

}  // namespace pmufab::platform
