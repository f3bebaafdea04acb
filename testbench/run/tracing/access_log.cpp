// SPDX-License-Identifier: Apache-2.0
#include "testbench/run/tracing/access_log.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "testbench/run/report/kernel_errors.h"
#include "testbench/run/session/machine.h"
#include "testbench/run/session/measurement.h"
#include "testbench/run/yaml/quantity.h"

namespace pmufab::scenario {
namespace {

std::string hex(std::uint64_t value, unsigned bytes) { return fmt::format("{:#0{}x}", value, 2 + 2 * bytes); }

std::string_view name_of(RunPhase phase) {
  constexpr std::array<std::string_view, 4> kNames = {"before", "loading", "running", "ending"};
  return kNames.at(static_cast<std::size_t>(phase));
}

}  // namespace

AccessLog::AccessLog(AccessLogOptions options)
    : options_(std::move(options)), file_(options_.file), selection_(options_.filter) {}

void AccessLog::attach(Machine& machine) {
  machine_ = &machine;
  selection_.attach(machine);
}

// ---- Lines

Json AccessLog::entry(const char* kind) const {
  Json line;
  line["kind"] = kind;
  line["phase"] = name_of(selection_.phase());
  line["time_ps"] = selection_.now();
  if (const std::optional<unsigned> cpu = machine_->host().driver_cpu()) line["cpu"] = *cpu;
  return line;
}

void AccessLog::add_event(Json& line, perf::EventHandle event) const {
  if (event == 0) return;
  line["event"] = event;
  if (const auto known = events_.find(event); known != events_.end()) line["name"] = known->second.text;
}

/// What the scoreboard says to a count that a driver has given.
void AccessLog::add_truth(Json& line, Call call, perf::EventHandle event) const {
  const scoreboard::Scoreboard& judge = machine_->scoreboard();
  if (call == Call::read) {
    if (const auto reading = judge.last_read(event, simulated_time()))
      line["expected"] = {{"low", reading->low}, {"high", reading->high}, {"ok", reading->ok()}};
  } else if (call == Call::del) {
    if (const auto result = judge.result(event)) {
      const bool ok = result->match != scoreboard::EventResult::Match::mismatch;
      line["expected"] = {{"low", result->expected}, {"high", result->expected}, {"ok", ok}};
    }
  }
}

/// Warnings and worse.
void AccessLog::on_kernel_line(const std::string& line) {
  if (!is_kernel_warning(line) || !selection_.is_wanted()) return;
  Json entry_of_log = entry("kernel");
  entry_of_log["depth"] = depth_;
  entry_of_log["text"] = line;
  put(entry_of_log);
}

void AccessLog::put(const Json& line) {
  write(options_.is_json ? line.dump(-1, ' ', false, Json::error_handler_t::replace) : to_text(line));
}

void AccessLog::write(const std::string& text) {
  if (left_out_ > 0 || written_ + text.size() + 1 > options_.room) {
    if (left_out_++ == 0) write_end({{"kind", "left_out"}, {"room", format_quantity(options_.room, Quantity::bytes)}});
    return;
  }
  written_ += text.size() + 1;
  file_.write(text + "\n");
}

void AccessLog::on_phase(RunPhase phase) {
  if (selection_.phase() == RunPhase::before) {
    const Json line{{"kind", "run"}, {"title", options_.title}};
    put(line);
  }
  selection_.enter(phase);
  if (selection_.is_wanted()) put(entry("phase"));
}

void AccessLog::on_loaded(const std::vector<perf::Pmu>& pmus) {
  published_ = std::make_unique<Published>(pmus, machine_->scoreboard());
  selection_.loaded(pmus);
}

/// A write changes what software would read. A read shows what has changed since software knew it; at first it knows 0.
AccessLog::Fields AccessLog::fields_of(const AccessRecord& access) {
  Fields fields;
  if (access.spec == nullptr || !access.ok) return fields;
  const std::uint64_t covered = low_bits(8 * access.size) << access.shift;
  const std::uint64_t value = access.value << access.shift;
  std::uint64_t& known = seen_[access.address - access.shift / 8];
  const std::uint64_t before = access.is_write ? access.before : known;
  const std::uint64_t after = access.is_write ? access.after : (known & ~covered) | value;
  for (const FieldSpec& field : access.spec->fields) {
    const auto of = [&](std::uint64_t all) { return all >> field.lsb & low_bits(field.width); };
    // What software cannot read acts by being written.
    const bool is_order = access.is_write && field.access == Access::wo;
    const std::uint64_t old = is_order ? 0 : of(before);
    const std::uint64_t now = is_order ? of(value & covered) : of(after);
    if (field.access == Access::rw && access.is_write && old == now && now != 0)
      fields.kept.push_back({{"field", field.name}, {"value", hex(now, 0)}});
    if (field.access == Access::reserved || old == now) continue;
    fields.changed.push_back({{"field", field.name}, {"before", hex(old, 0)}, {"after", hex(now, 0)}});
  }
  known = after;
  return fields;
}

void AccessLog::on_access(const AccessRecord& access) {
  if (selection_.phase() == RunPhase::before) return;
  Fields fields = fields_of(access);  // even if it is not wanted: later ones are compared with it
  if (!selection_.is_chosen(access) || !selection_.is_in_time()) return;
  Json line = entry(access.is_write ? "write" : "read");
  line["depth"] = depth_;
  if (!access.place.pmu.empty()) {
    line["pmu"] = access.place.pmu;
    line["call"] = to_string(access.place.call);
  }
  line["address"] = hex(access.address, 0);
  line["instance"] = selection_.instance_of(access);
  line["register"] = access.name;
  line["size"] = access.size;
  if (access.ok) line["value"] = hex(access.value, access.size);
  line["ok"] = access.ok;
  line["changed"] = std::move(fields.changed);
  if (!fields.kept.empty()) line["kept"] = std::move(fields.kept);
  line["function"] = access.function;
  put(line);
}

void AccessLog::put_interrupt(const char* what, std::uint32_t number, const std::string& source) {
  if (!selection_.is_wanted_interrupt(number, source)) return;
  Json line = entry("interrupt");
  line["what"] = what;
  line["number"] = number;
  line["source"] = instance_name(source);
  line.erase("cpu");  // the one that happens to wait for a register
  put(line);
}

void AccessLog::on_line(std::uint32_t number, const std::string& source, bool high) {
  sources_[number] = source;
  put_interrupt(high ? "raised" : "lowered", number, source);
}

void AccessLog::on_delivery(std::uint32_t number, bool begin, bool handled) {
  put_interrupt(begin ? "delivered" : handled ? "handled" : "not handled", number, sources_[number]);
}

void AccessLog::on_note(const std::string& text) {
  if (!selection_.is_wanted()) return;
  Json line = entry("note");
  line["text"] = text;
  put(line);
}

void AccessLog::on_call(Call call, bool begin, const std::string& pmu, perf::EventHandle event, std::uint64_t value,
                        Picoseconds /*when*/) {
  if (!begin && depth_ > 0) --depth_;
  if (selection_.is_wanted_pmu(pmu)) {
    Json line = entry("call");
    line["depth"] = depth_;
    line["begin"] = begin;
    line["call"] = to_string(call);
    line["pmu"] = pmu;
    add_event(line, event);
    if (!begin && event != 0) {
      line["count"] = value;
      add_truth(line, call, event);
    }
    put(line);
  }
  if (begin) ++depth_;
}

std::string AccessLog::on_add_failed(const std::string& pmu, perf::EventHandle event, int error) {
  if (!selection_.is_wanted_pmu(pmu)) return {};
  Json line = entry("call");
  line["depth"] = depth_;
  line["call"] = "add";
  line["pmu"] = pmu;
  add_event(line, event);
  line["error"] = describe_errno(error);
  put(line);
  return {};
}

// ---- What programs do with events

void AccessLog::on_open(const perf::PerfAttributes& attributes, perf::EventHandle leader, perf::EventHandle result) {
  std::optional<perf::ResolvedEvent> named;
  if (published_) named = published_->names.name(attributes);
  const Named event = named ? Named{named->pmu, named->text} : Named{};
  const std::string written = std::exchange(written_text_, {});
  if (result > 0) events_[result] = event;
  if (!selection_.is_wanted_pmu(event.pmu)) return;
  Json line = entry("event");
  line["what"] = result > 0 ? "opened" : "refused";
  if (result > 0) line["event"] = result;
  line["name"] = event.text;
  if (!written.empty()) line["written"] = written;
  if (leader != 0) line["leader"] = leader;
  line["config"] = hex(attributes.config, 0);
  line["config1"] = hex(attributes.config1, 0);
  line["config2"] = hex(attributes.config2, 0);
  if (result <= 0) line["error"] = describe_errno(result);
  put(line);
}

void AccessLog::on_read(perf::EventHandle event, bool /*is_group*/, const perf::EventReading& reading) {
  if (!selection_.is_wanted_pmu(events_[event].pmu)) return;
  Json line = entry("event");
  line["what"] = "read";
  add_event(line, event);
  line["count"] = reading.value;
  line["enabled_ps"] = reading.time_enabled;
  line["running_ps"] = reading.time_running;
  put(line);
}

void AccessLog::on_close(perf::EventHandle event) {
  if (!selection_.is_wanted_pmu(events_[event].pmu)) return;
  Json line = entry("event");
  line["what"] = "closed";
  add_event(line, event);
  put(line);
}

void AccessLog::finish() {
  if (selection_.phase() == RunPhase::before) return;
  selection_.enter(RunPhase::before);
  for (const std::string& condition : selection_.unmet()) write_end({{"kind", "unmet"}, {"condition", condition}});
  if (left_out_ > 0)
    write_end({{"kind", "left_out"}, {"lines", left_out_}, {"room", format_quantity(options_.room, Quantity::bytes)}});
}

/// A line for which there is always room.
void AccessLog::write_end(const Json& line) {
  file_.write((options_.is_json ? line.dump(-1, ' ', false, Json::error_handler_t::replace) : to_text(line)) + "\n");
}

}  // namespace pmufab::scenario
