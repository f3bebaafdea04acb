// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/tracing/timeline.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/session/machine.h"
#include "testbench/run/tracing/timeline_writer.h"
#include "tlm/registers/register_bank.h"

namespace pmufab::scenario {
namespace {

/// Fields that software can read, and whose value may change or be worth knowing.
bool is_signal(const FieldSpec& field) {
  return field.access == Access::rw || field.access == Access::ro || field.access == Access::w1c ||
         field.access == Access::w1s || field.access == Access::w0c || field.access == Access::rc;
}

}  // namespace

Timeline::Timeline(TimelineOptions options)
    : options_(std::move(options)), file_(options_.file), selection_(options_.filter) {}

void Timeline::attach(Machine& machine) {
  machine_ = &machine;
  selection_.attach(machine);
  alarm_ = std::make_unique<Alarm>([this] { ring(); });
}

bool Timeline::is_recording() const { return selection_.phase() == RunPhase::running && selection_.is_in_time(); }

void Timeline::write(std::string text) {
  text += '\n';
  if (left_out_ == 0 && written_ + text.size() > options_.room) file_.write("o\t1\tall\n");
  if (left_out_ > 0 || written_ + text.size() > options_.room) {
    left_out_ += static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
    return;
  }
  written_ += text.size();
  file_.write(text);
}

unsigned Timeline::declare(unsigned width, const std::string& name, bool is_interrupt) {
  write(fmt::format("s\t{}\t{}\t{}\t{}", signals_, width, name, is_interrupt ? kInterruptSignal : ""));
  return signals_++;
}

unsigned Timeline::cpu() const { return machine_->host().driver_cpu().value_or(0); }

void Timeline::on_phase(RunPhase phase) {
  if (is_recording() || (selection_.phase() == RunPhase::running && options_.filter.to)) {
    const Picoseconds now = selection_.now();
    file_.write(fmt::format("n\t{}\n", std::min(now, options_.filter.to.value_or(now))));
  }
  selection_.enter(phase);
  if (phase != RunPhase::running) return;
  choose_gauges();
  alarm_->set(simulated_time());
}

void Timeline::choose_gauges() {
  std::vector<Gauge> gauges;
  for (const auto& fabric : machine_->fabrics()) fabric->add_gauges(gauges);
  sampled_.clear();
  for (Gauge& gauge : gauges) {
    if (!selection_.is_wanted_gauge(gauge.name)) continue;
    const std::uint64_t before = gauge.value();
    sampled_.push_back({.gauge = std::move(gauge), .before = before});
  }
}

void Timeline::sample() {
  constexpr unsigned kWidth = 32;
  const bool is_first = selection_.now() == 0;  // no period has gone by
  for (Sampled& one : sampled_) {
    const std::uint64_t value = one.gauge.value();
    const std::uint64_t shown = one.gauge.is_total ? value - one.before : value;
    one.before = value;
    if (is_first || one.shown == shown || !selection_.is_in_time()) continue;
    one.shown = shown;
    // The other half is for what the drivers do.
    if (of_gauges_ > options_.room / 2) {
      if (left_out_of_gauges_++ == 0) file_.write("o\t1\n");
      continue;
    }
    const std::uint64_t before = written_;
    if (!one.signal) one.signal = declare(kWidth, one.gauge.name);
    write(fmt::format("v\t{}\t{}\t{:x}", selection_.now(), *one.signal, shown));
    of_gauges_ += written_ - before;
  }
}

void Timeline::ring() {
  if (selection_.phase() != RunPhase::running || failed_) return;
  try {
    if (selection_.is_in_time()) look();
    sample();
  } catch (const JournalError&) {  // SystemC would take it for a crash: the run's process says it
    failed_ = std::current_exception();
  }
  alarm_->set(simulated_time() + options_.every);
}

void Timeline::watch(const AccessRecord& access) {
  const auto [place, is_new] =
      places_.try_emplace(Key(access.registers, access.index, access.element), watched_.size());
  if (!is_new) return;
  Watched& watched = watched_.emplace_back(Watched{access.registers, access.index, access.element, {}});
  const auto shown = std::ranges::count_if(access.spec->fields, is_signal);
  std::string name = fmt::format("{}.{}", selection_.instance_of(access), access.spec->name);
  if (access.spec->count > 1) name += fmt::format("[{}]", access.element);
  for (const FieldSpec& field : access.spec->fields) {
    if (!is_signal(field)) continue;
    const unsigned number = declare(field.width, shown == 1 ? name : fmt::format("{}.{}", name, field.name));
    watched.signals.push_back({.number = number, .lsb = field.lsb, .width = field.width});
  }
}

void Timeline::look() {
  std::string text;
  const Picoseconds now = selection_.now();
  for (Watched& watched : watched_) {
    const std::uint64_t value = watched.bank->read(RegisterId{watched.index}, watched.element, simulated_time());
    for (Signal& signal : watched.signals) {
      const std::uint64_t part = value >> signal.lsb & low_bits(signal.width);
      if (signal.shown == part) continue;
      signal.shown = part;
      text += fmt::format("{}v\t{}\t{}\t{:x}", text.empty() ? "" : "\n", now, signal.number, part);
    }
  }
  if (!text.empty()) write(std::move(text));
}

void Timeline::on_access(const AccessRecord& access) {
  if (failed_) std::rethrow_exception(failed_);
  if (selection_.phase() != RunPhase::running || !selection_.is_chosen(access)) return;
  if (access.spec != nullptr) watch(access);
  if (!selection_.is_in_time()) return;
  if (access.is_write) {
    const std::string name = access.name.empty() ? fmt::format("{:#x}", access.address) : access.name;
    write(fmt::format("i\t{}\t{}\t{}.{}\t{:x}", selection_.now(), cpu(), selection_.instance_of(access), name,
                      access.value));
  }
  look();
}

void Timeline::on_line(std::uint32_t number, const std::string& source, bool high) {
  if (!is_recording() || !selection_.is_wanted_interrupt(number, source)) return;
  const std::string name = fmt::format("interrupts.{}", instance_name(source));
  const auto place = lines_.find(name);
  const unsigned signal = place == lines_.end() ? declare(1, name, true) : place->second;
  lines_.insert_or_assign(name, signal);
  look();
  write(fmt::format("v\t{}\t{}\t{:x}", selection_.now(), signal, high ? 1 : 0));
}

void Timeline::on_note(const std::string& text) {
  if (!is_recording() || !selection_.is_wanted()) return;
  write(fmt::format("i\t{}\t0\t{}\t", selection_.now(), text));
  look();
}

void Timeline::on_call(Call call, bool begin, const std::string& pmu, perf::EventHandle event, std::uint64_t /*value*/,
                       Picoseconds /*when*/) {
  if (begin) {
    const bool is_wanted = is_recording() && selection_.is_wanted_pmu(pmu);
    calls_.push_back(is_wanted ? std::optional(cpu()) : std::nullopt);
    if (!is_wanted) return;
    const std::string detail = event == 0 ? std::string() : fmt::format("event {}", event);
    write(fmt::format("b\t{}\t{}\t{} {}\t{}", selection_.now(), *calls_.back(), to_string(call), pmu, detail));
    return;
  }
  if (calls_.empty()) return;
  if (calls_.back()) write(fmt::format("e\t{}\t{}", selection_.now(), *calls_.back()));
  calls_.pop_back();
}

void Timeline::finish() {
  selection_.enter(RunPhase::before);
  alarm_->cancel();
  if (failed_) std::rethrow_exception(std::exchange(failed_, {}));
  if (left_out_of_gauges_ > 1) file_.write(fmt::format("o\t{}\n", std::exchange(left_out_of_gauges_, 0) - 1));
  if (left_out_ > 1) file_.write(fmt::format("o\t{}\n", left_out_ - 1));  // the first was told when it happened
  left_out_ = 0;
}

}  // namespace pmufab::scenario
