// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/occurrences/interrupt_paths.h"

#include <algorithm>
#include <utility>

namespace pmufab::scenario {

InterruptLine* InterruptPaths::cut(platform::InterruptResource resource) {
  if (resource.line == nullptr) return nullptr;
  const auto known = std::ranges::find_if(lines_, [&](const Line& line) { return line.real == resource.line; });
  if (known != lines_.end()) return known->shown.get();
  Line& line =
      lines_.emplace_back(Line{resource.number, resource.line,
                               std::make_unique<InterruptLine>(resource.line->name(), resource.line->trigger())});
  line.real->listen([this, &line](bool high) { on_line(line, high); });
  return line.shown.get();
}

platform::FirmwareDescription InterruptPaths::cut(platform::FirmwareDescription firmware) {
  for (platform::ApmtNode& node : firmware.apmt) {
    if (node.overflow_interrupt) node.overflow_interrupt->line = cut(*node.overflow_interrupt);
  }
  for (platform::AcpiDevice& device : firmware.devices) {
    for (platform::InterruptResource& interrupt : device.interrupts) interrupt.line = cut(interrupt);
  }
  for (MessageInterrupt*& source : firmware.msi.sources) {
    Message& message = messages_.emplace_back(Message{source, std::make_unique<MessageInterrupt>(source->name())});
    source->listen([this, shown = message.shown.get()](std::uint64_t address, std::uint32_t number) {
      on_message(*shown, address, number);
    });
    source = message.shown.get();
  }
  doorbell_ = firmware.msi;
  return firmware;
}

std::vector<std::uint32_t> InterruptPaths::numbers() const {
  std::vector<std::uint32_t> all;
  for (const Line& line : lines_) all.push_back(line.number);
  if (messages_.empty()) return all;
  for (std::uint32_t i = 0; i < doorbell_.count; ++i) all.push_back(doorbell_.first_number + i);
  return all;
}

void InterruptPaths::later(Picoseconds delay, std::function<void()> action) {
  if (!alarm_) alarm_ = std::make_unique<Alarm>([this] { come(); });
  delayed_.emplace(simulated_time() + delay, std::move(action));
  alarm_->set(delayed_.begin()->first);
}

/// What is due now, in the order in which it was delayed.
void InterruptPaths::come() {
  while (!delayed_.empty() && delayed_.begin()->first <= simulated_time()) {
    const std::function<void()> action = std::move(delayed_.begin()->second);
    delayed_.erase(delayed_.begin());
    action();
  }
  if (!delayed_.empty()) alarm_->set(delayed_.begin()->first);
}

/// An edge is seen although its line has dropped since.
void InterruptPaths::arrive(Line& line) {
  if (line.real->is_high()) {
    line.shown->drive(true);
  } else if (line.real->trigger() == InterruptTrigger::edge) {
    line.shown->drive(true);
    line.shown->drive(false);
  }
}

void InterruptPaths::on_line(Line& line, bool high) {
  using Kind = InterruptFate::Kind;
  if (listener_) listener_(line.number, line.real->name(), high);
  if (!high) {
    line.shown->drive(false);
    if (line.real->trigger() == InterruptTrigger::level) line.holder = nullptr;
    return;
  }
  const std::uint64_t rise = ++line.rises;
  const bool is_edge = line.real->trigger() == InterruptTrigger::edge;
  const InterruptFate fate = fate_(line.number);
  switch (fate.kind) {
    case Kind::lost:
      return;
    case Kind::held:
      line.holder = fate.holder;
      return;
    case Kind::late:
      // A level that has dropped since is another one now.
      later(fate.delay, [&line, rise, is_edge] {
        if (is_edge || line.rises == rise) arrive(line);
      });
      return;
    case Kind::doubled:
      later(fate.delay, [&line, doubled = fate.doubled] {
        if (pretend(line) && doubled) doubled();
      });
      [[fallthrough]];
    case Kind::arrives:
      line.shown->drive(true);
      return;
  }
}

void InterruptPaths::on_message(MessageInterrupt& shown, std::uint64_t address, std::uint32_t number) {
  using Kind = InterruptFate::Kind;
  if (listener_) listener_(number, shown.name(), true);
  const InterruptFate fate = fate_(number);
  const auto send = [&shown, address, number] { shown.send(address, number); };
  switch (fate.kind) {
    case Kind::lost:
      return;
    case Kind::held:
      held_.push_back({&shown, address, number, fate.holder});
      return;
    case Kind::late:
      later(fate.delay, send);
      return;
    case Kind::doubled:
      later(fate.delay, [send, doubled = fate.doubled] {
        send();
        if (doubled) doubled();
      });
      [[fallthrough]];
    case Kind::arrives:
      send();
      return;
  }
}

bool InterruptPaths::pretend(Line& line) {
  if (line.real->trigger() == InterruptTrigger::edge) {
    line.shown->drive(false);
    line.shown->drive(true);
    line.shown->drive(line.real->is_high());
    return true;
  }
  if (line.shown->is_high()) return false;
  line.pretended = true;
  line.shown->drive(true);
  return true;
}

bool InterruptPaths::pretend(std::uint32_t number) {
  for (Line& line : lines_) {
    if (line.number == number) return pretend(line);
  }
  if (messages_.empty()) return false;
  messages_.front().shown->send(doorbell_.address, number);
  return true;
}

void InterruptPaths::handled(const std::function<bool(std::uint32_t number)>& is_of) {
  for (Line& line : lines_) {
    if (!line.pretended || !is_of(line.number)) continue;
    line.pretended = false;
    line.shown->drive(line.real->is_high());
  }
}

void InterruptPaths::release(const void* holder) {
  for (Line& line : lines_) {
    if (line.holder != holder) continue;
    line.holder = nullptr;
    arrive(line);
  }
  std::vector<HeldMessage> let_go;
  std::vector<HeldMessage> still_held;
  for (const HeldMessage& message : held_) (message.holder == holder ? let_go : still_held).push_back(message);
  held_ = std::move(still_held);
  for (const HeldMessage& message : let_go) message.shown->send(message.address, message.number);
}

void InterruptPaths::forget() {
  for (Line& line : lines_) line.holder = nullptr;
  held_.clear();
  delayed_.clear();
  if (alarm_) alarm_->cancel();
}

}  // namespace pmufab::scenario
