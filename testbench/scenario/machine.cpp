#include "testbench/scenario/machine.h"

#include <utility>

#include <fmt/format.h>
#if defined(__SANITIZE_ADDRESS__)
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif

#include "testbench/scenario/judge.h"
#include "testbench/scenario/loaders.h"
#include "testbench/scoreboard/cmn_judge.h"
#include "testbench/scoreboard/tegra410_judge.h"
#include "testbench/traffic/trace_format.h"

namespace pmufab::scenario {

/// The thread process the story runs in.
class Machine::Story : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(Story);
  Story(const sc_core::sc_module_name& name, std::function<void()> story)
      : sc_core::sc_module(name), story_(std::move(story)) {
    SC_THREAD(run);
    // Drivers call deeply, and sanitizers make frames large.
    set_stack_size(1U << 20);
  }

  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
    if (!told_)
      throw std::logic_error("simulated time ran out before the scenario had ended: nothing was left to wait for");
  }

 private:
  void run() {
    try {
      story_();
      told_ = true;
    } catch (const sc_core::sc_unwind_exception&) {
      throw;
    } catch (...) {
      exception_ = std::current_exception();
    }
    sc_core::sc_stop();
  }

  std::function<void()> story_;
  std::exception_ptr exception_;
  bool told_ = false;
};

namespace {

/// SystemC tells AddressSanitizer of each change of stacks, but leaves it with the last thread process's when
/// simulation ends: exceptions and leaks would then be judged by the wrong stack.
void return_to_main_stack() {
#if defined(__SANITIZE_ADDRESS__)
  pthread_attr_t attributes;
  void* bottom = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  pthread_attr_getstack(&attributes, &bottom, &size);
  pthread_attr_destroy(&attributes);
  __sanitizer_start_switch_fiber(nullptr, bottom, size);
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
}

}  // namespace

Machine* Machine::current_ = nullptr;

Machine::Machine(const platform::PlatformSpec& platform, const HostSpec& host, const traffic::TrafficSpec& traffic,
                 const std::vector<traffic::FlitFlowSpec>& mesh_traffic,
                 const std::vector<traffic::ChiTrafficSpec>& chi_traffic, const driver_host::DriverSet& drivers,
                 Options options) {
  current_ = this;
  sc_core::sc_report_handler::set_handler(&Machine::on_report);

  platform_ = std::make_unique<platform::Platform>("platform", platform);
  driver_host::DriverHost::Options host_options;
  host_options.access_latency = host.access_latency;
  host_options.interrupt_delay = host.interrupt_delay;
  host_options.echo_log = options.echo_log;
  try {
    host_ = std::make_unique<driver_host::DriverHost>("host", drivers, host_options);
  } catch (const driver_host::DriverSetError& error) {
    throw InputError(error.what());
  }
  host_->describe(platform_->firmware());
  host_->bus.bind(platform_->bus().socket);

  traffic::TrafficIssuer::Options issuer_options;
  issuer_options.progress = std::move(options.progress);
  issuer_options.progress_every = 1U << 16;
  try {
    issuer_ = std::make_unique<traffic::TrafficIssuer>("traffic", traffic, traffic_memory(platform_->spec()),
                                                       platform_->sockets(), issuer_options);
  } catch (const traffic::TraceError& error) {
    throw InputError(error.what(), "make a trace with pmufab trace import");
  } catch (const SpecError& error) {
    throw InputError({}, error.field(), error.reason(), error.suggestion());
  }
  make_flows(mesh_traffic, traffic.seed);
  make_chi_traffic(chi_traffic, traffic.seed);
  for (unsigned socket = 0; platform.tegra410 && socket < platform_->sockets(); ++socket) {
    issuer_->cpu_access[socket].bind(platform_->socket(socket).cpu_access);
    issuer_->requests[socket].bind(platform_->socket(socket).requests);
  }

  scoreboard_ = std::make_unique<scoreboard::Scoreboard>();
  if (auto spec = tegra410_judge_spec(platform)) {
    platform_->set_observer(
        &scoreboard_->add(std::make_unique<scoreboard::Tegra410Judge>(std::move(*spec), scoreboard_->chronicle())));
  }
  const std::vector<scoreboard::CmnJudgeSpec> meshes = cmn_judge_specs(platform);
  for (std::size_t mesh = 0; mesh < meshes.size(); ++mesh) {
    platform_->mesh(mesh).set_observer(
        &scoreboard_->add(std::make_unique<scoreboard::CmnJudge>(meshes[mesh], scoreboard_->chronicle())));
  }
  calls_ = std::make_unique<CallTee>(*scoreboard_);
  host_->observe(calls_.get());
  platform_->bus().monitor([this](const MmioBus::BusAccess& access) { scoreboard_->on_bus_access(access); });
}

Machine::~Machine() {
  // The judge goes first: nobody may call it any more.
  if (platform_->spec().tegra410) platform_->set_observer(nullptr);
  for (std::size_t mesh = 0; mesh < platform_->meshes(); ++mesh) platform_->mesh(mesh).set_observer(nullptr);
  host_->observe(nullptr);
  current_ = nullptr;
  sc_core::sc_report_handler::set_handler(nullptr);
}

void Machine::make_flows(const std::vector<traffic::FlitFlowSpec>& specs, std::uint64_t seed) {
  for (std::size_t index = 0; index < specs.size(); ++index) {
    const std::string field = fmt::format("mesh_traffic[{}]", index);
    if (specs[index].mesh >= platform_->meshes())
      throw InputError({}, field + ".mesh", fmt::format("there is no mesh {}", specs[index].mesh),
                       fmt::format("the platform has {}", platform_->meshes()));
    cmn::Mesh& mesh = platform_->mesh(specs[index].mesh);
    try {
      flows_.push_back(std::make_unique<traffic::FlitFlow>(mesh, specs[index], field, seed));
    } catch (const SpecError& error) {
      throw InputError({}, error.field(), error.reason(), error.suggestion());
    }
  }
}

void Machine::make_chi_traffic(const std::vector<traffic::ChiTrafficSpec>& specs, std::uint64_t seed) {
  for (std::size_t index = 0; index < specs.size(); ++index) {
    const std::string field = fmt::format("chi_traffic[{}]", index);
    if (specs[index].mesh >= platform_->meshes())
      throw InputError({}, field + ".mesh", fmt::format("there is no mesh {}", specs[index].mesh),
                       fmt::format("the platform has {}", platform_->meshes()));
    const unsigned mesh = specs[index].mesh;
    try {
      chi_traffic_.push_back(std::make_unique<traffic::ChiTraffic>(platform_->mesh(mesh), platform_->nodes(mesh),
                                                                   specs[index], field, seed));
    } catch (const SpecError& error) {
      throw InputError({}, error.field(), error.reason(), error.suggestion());
    }
  }
}

void Machine::start_traffic() {
  issuer_->start();
  for (const auto& chi : chi_traffic_) chi->start(to_picoseconds(sc_core::sc_time_stamp()));
  for (const auto& flow : flows_) flow->start(to_picoseconds(sc_core::sc_time_stamp()));
}

void Machine::stop_traffic() {
  issuer_->stop();
  for (const auto& chi : chi_traffic_) chi->stop();
  for (const auto& flow : flows_) flow->stop();
}

void Machine::run(const std::function<void()>& story) {
  story_ = std::make_unique<Story>("story", story);
  sc_core::sc_start();
  return_to_main_stack();
  story_->rethrow();
}

void Machine::on_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  constexpr std::size_t kKept = 20;
  if (report.get_severity() == sc_core::SC_WARNING && current_ != nullptr) {
    if (current_->reports_.size() < kKept)
      current_->reports_.push_back(fmt::format("{}: {}", report.get_msg_type(), report.get_msg()));
    return;
  }
  // sc_stop and its like: nothing to say to the user.
  if (report.get_severity() == sc_core::SC_INFO) return;
  sc_core::sc_report_handler::default_handler(report, actions);
}

}  // namespace pmufab::scenario
