// SPDX-License-Identifier: Apache-2.0
// Drivers that break rules of the kernel, and are noticed although all counts are right.
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "testbench/tests/tools/driver_fault_fixture.h"

namespace pmufab::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

/// The environment variable FAULT chooses what the driver does wrong.
constexpr const char* kFaultyFunctions = R"(
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/workqueue.h>
extern char* f_getenv(const char*) __asm__("getenv");
static char fault(void) { const char* const text = f_getenv("FAULT"); return text ? text[0] : 0; }
static DEFINE_MUTEX(fault_mutex);
static DEFINE_SPINLOCK(fault_lock);
static noinline void fault_in_read(void)
{
  unsigned long flags = 0, inner;
  switch (fault()) {
    case 'm': mutex_lock(&fault_mutex); mutex_unlock(&fault_mutex); break;
    case 's': spin_lock(&fault_lock); break;
    case 'i': local_irq_save(flags); break;
    case 'r': local_irq_restore(flags); break;
    case 'e': spin_lock_irq(&fault_lock); spin_unlock_irq(&fault_lock); break;
    case 'p': preempt_disable(); break;
    case 'o': spin_unlock(&fault_lock); break;
    case 'd': spin_lock(&fault_lock); spin_lock(&fault_lock); break;
    case 'w': WARN_ON_ONCE(fault_lock.locked == 0); break;
    case 'n': readl((void*)0x10); break;
    case 'D': for (inner = 0; inner < 20; inner++) udelay(1000); break;
    case 'L': spin_lock_irqsave(&fault_lock, flags); cpu_relax(); spin_unlock_irqrestore(&fault_lock, flags);
              kfree(kmalloc(8, GFP_ATOMIC)); udelay(1); (void)get_cpu(); put_cpu();
              local_irq_save(flags); local_irq_save(inner); local_irq_disable(); local_irq_restore(flags); break;
  }
}
static struct perf_event* fault_gone;
static noinline int fault_in_add(struct device* dev, struct perf_event* event)
{
  switch (fault()) {
    case 'k': kfree(kmalloc(8, GFP_KERNEL)); break;
    case 'z': devm_kzalloc(dev, 8, GFP_KERNEL); break;
    case 'u': usleep_range(1, 2); break;
    case 'h': event->hw.state = PERF_HES_STOPPED; break;
    case '+': return 1;
    case 'c': if (fault_gone && fault_gone != event) local64_inc(&fault_gone->count); break;
  }
  return 0;
}
static void fault_work(struct work_struct* work) { queue_work(system_wq, work); }
static DECLARE_WORK(fault_queued, fault_work);
struct fault_large { char bytes[40 << 10]; };
static struct hrtimer fault_timer;
static noinline enum hrtimer_restart fault_tick(struct hrtimer* timer)
{
  hrtimer_forward(timer, ktime_get(), 1);
  return HRTIMER_RESTART;
}
static noinline int fault_depth(int depth)
{
  volatile char frame[1024];
  frame[depth] = 1;
  return depth > 20 ? frame[depth] : fault_depth(depth + 1) + frame[depth];
}
/* What a show function returns. */
static noinline ssize_t fault_in_show(ssize_t length)
{
  switch (fault()) {
    case '0': return 0;
    case '-': return -EIO;
    case '1': return 1;
    case '4': return 8192;
  }
  return length;
}
static noinline void fault_in_probe(struct device* dev)
{
  static int nothing[16];
  int* memory;
  switch (fault()) {
    case 'l': memory = kmalloc(24, GFP_KERNEL); memory[0] = 1; break;
    case 'f': memory = kmalloc(24, GFP_KERNEL); kfree(memory); kfree(memory); break;
    case 'x': kfree(nothing + 8); break;
    case 'b': memory = kmalloc(24, GFP_KERNEL); ((volatile int*)memory)[6] = 1; kfree(memory); break;
    case 'a': memory = kmalloc(24, GFP_KERNEL); kfree(memory); ((volatile int*)memory)[1] = 1; break;
    case 'j': kfree(devm_kmalloc(dev, 24, GFP_KERNEL)); break;
    case 'C': cpus_read_lock(); break;
    case 'g': mutex_lock(&fault_mutex); break;
    case 'K': kfree(kmalloc(8 << 20, GFP_KERNEL)); break;
    case 'W': kfree(kmalloc(64 << 20, GFP_KERNEL)); break;
    case 'Z': devm_kzalloc(dev, 4 << 20, GFP_KERNEL); break;
    case 'P': free_percpu(alloc_percpu(struct fault_large)); break;
    case 'R': get_device(dev); break;
    case 'A': (void)acpi_dev_get_first_match_dev("NVDA2021", NULL, -1); break;
    case 'F': fwnode_handle_get(dev_fwnode(dev)); break;
    case 't': hrtimer_setup(&fault_timer, fault_tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
              hrtimer_start(&fault_timer, 1, HRTIMER_MODE_REL); break;
    case 'S': fault_depth(0); break;
    case 'Q': queue_work(system_wq, &fault_queued); break;
    case 'M': if (!ioremap(0x1000, 0x1000)) dev_err(dev, "no memory\n"); break;
    case 'L': kvfree(kvmalloc(8 << 20, GFP_KERNEL)); kfree(kmalloc(4 << 20, GFP_KERNEL)); put_device(get_device(dev));
              kfree(kmalloc(8 << 20, GFP_KERNEL | __GFP_NOWARN)); acpi_dev_put(acpi_dev_get_first_match_dev("NVDA2021", NULL, -1));
              mutex_lock(&fault_mutex); kfree(kmalloc(8, GFP_KERNEL)); usleep_range(1, 2); mutex_unlock(&fault_mutex);
              cpus_read_lock(); cpus_read_unlock(); local_irq_disable(); local_irq_disable(); local_irq_enable();
              break;
  }
}
)";

/// One library with all faults.
class DriverRule : public DriverFault {
 protected:
  void SetUp() override {
    DriverFault::SetUp();
    if (IsSkipped()) return;
    std::string text = original();
    const auto insert = [&text](const std::string& before, const std::string& statement) {
      const std::size_t at = text.find(before);
      ASSERT_NE(at, std::string::npos) << before;
      text.insert(at, statement);
    };
    /// In place of `was`: `with`, in which {} stands for it.
    const auto replace = [&text](const std::string& was, std::string with) {
      const std::size_t at = text.find(was);
      ASSERT_NE(at, std::string::npos) << was;
      with.replace(with.find("{}"), 2, was);
      text.replace(at, was.size(), with);
    };
    insert("static int cmem_lat_pmu_get_event_idx(", kFaultyFunctions);
    insert("\tcmem_lat_pmu_event_update(event);\n}", "\tfault_in_read();\n");
    insert("\t/* Propagate changes to the userspace mapping. */\n\tperf_event_update_userpage(event);\n\n\treturn 0;",
           "\tif (fault_in_add(cmem_lat_pmu->dev, event)) return 1;\n");
    insert("\thw_events->events[idx] = NULL;", "\tfault_gone = event;\n");
    insert("\tcmem_lat_pmu->dev = dev;\n", "\tfault_in_probe(dev);\n");
    insert("event->attr.type != event->pmu->type ||", "fault() != 'y' && ");
    insert("event->attach_state & PERF_ATTACH_TASK", "fault() != 'N' && ");
    insert("event->cpu < 0)", "fault() != 'N' && ");
    insert("\tevent->cpu = cpumask_first(&cmem_lat_pmu->active_cpu);", "\tif (fault() != 'E')\n");
    insert("is_software_event(event))", "fault() != 'G' && ");
    insert("\tidx = find_first_zero_bit(hw_events->used_ctrs, CMEM_LAT_MAX_ACTIVE_EVENTS);",
           "\tif (fault() == 'q' && hw_events->used_ctrs[0]) return -ENOSPC;\n");
    insert("\thwc->config = event_type;", "\tif (fault() == 'V' && event_type == 1) return -EINVAL;\n");
    insert("\tclear_bit(idx, hw_events->used_ctrs);", "\tif (fault() != 'v')\n");
    insert("\tdst = cpumask_any_and_but(&cmem_lat_pmu->associated_cpus,",
           "\tif (fault() == 'T') cpumask_set_cpu(cpu, &cmem_lat_pmu->active_cpu);\n\tif (fault() == 'T') return 0;\n");
    insert("\treturn sysfs_emit(buf, \"%*pbl\\n\", cpumask_pr_args(cpumask));",
           "\tif (fault() == 'B') cpumask = cpu_possible_mask;\n");
    insert("\tdev_dbg(&pdev->dev, \"Registered %s PMU",
           "\tif (fault() == 'I' && devm_request_irq(dev, 4711, NULL, 0, name, dev)) return 0;\n");
    replace("sysfs_emit(buf, \"event=0x%llx\\n\", pmu_attr->id)", "fault_in_show({})");
    replace("sysfs_emit(page, \"%s\\n\", cmem_lat_pmu->identifier)", "fault_in_show({})");
    insert("\tperf_pmu_unregister(&cmem_lat_pmu->pmu);\n\tcpuhp", "\tif (fault() != 'U')\n");
    insert("\tcpuhp_remove_multi_state(cmem_lat_pmu_cpuhp_state);\n}\n\nmodule_init", "\tif (fault() != 'H')\n");
    drivers_ = drivers_of(kFile, text, true);
    scenario_ = write("rules.yaml", "name: rules\nplatform: " + shipped("platforms/tegra410-1s-small.yaml") + R"(
duration: 20 us
actions: [{at: 15 us, do: cpu_offline, cpu: 0}]
measure:
  - events: ["nvidia_cmem_latency_pmu_0/cycles/,nvidia_cmem_latency_pmu_0/rd_req/,nvidia_cmem_latency_pmu_0/rd_cum_outs/"]
    interval: 5 us
)");
  }

  /// @return what is wrong with a run in which the driver has this fault
  std::string failures(char fault) {
    const std::string report = (folder / "r.json").string();
    outcome =
        finish(start({"run", scenario_, "--driver", drivers_, "--json", report}, {{"FAULT", std::string(1, fault)}}));
    run = Json::parse(read(report)).at("runs").at(0);
    std::string all;
    for (const Json& check : run.at("checks")) {
      if (!check.at("ok").get<bool>())
        all += check.at("name").get<std::string>() + ": " + check.at("text").get<std::string>() + "\n";
    }
    return all;
  }

  /// @return how `pmufab list` ends with a driver that has this fault
  Outcome list(char fault) {
    return finish(start({"list", shipped("platforms/tegra410-1s-small.yaml"), "--driver", drivers_},
                        {{"FAULT", std::string(1, fault)}}));
  }

  Outcome outcome;
  Json run;

 private:
  std::string drivers_;
  std::string scenario_;
};

constexpr const char* kOfThisDriver = "() of nvidia_t410_cmem_latency_pmu.c";

TEST_F(DriverRule, every_broken_rule_is_told_with_the_function_that_broke_it) {
  struct Rule {
    char fault;
    std::string text;
    std::string function;
  };
  const std::string sleeping = "sleeping function called from invalid context: ";
  const std::vector<Rule> rules = {
      {'m', sleeping + "mutex_lock() with interrupts off", "fault_in_read"},
      {'s', "a spinlock is still held at the return from the driver", "fault_in_read"},
      {'i', "interrupts are still off at the return from the driver", "fault_in_read"},
      {'r', "interrupts are restored from flags that were saved before the call", "fault_in_read"},
      {'e', "interrupts are turned on that the caller has turned off", "fault_in_read"},
      {'p', "preemption is still disabled at the return from the driver", "fault_in_read"},
      {'o', "unlocking a spinlock that is not held", "fault_in_read"},
      {'w', "fault_lock.locked == 0", "fault_in_read"},
      {'k', sleeping + "an allocation without GFP_ATOMIC with interrupts off", "fault_in_add"},
      {'z', sleeping + "an allocation without GFP_ATOMIC with interrupts off", "fault_in_add"},
      {'u', sleeping + "usleep_range() with interrupts off", "fault_in_add"},
      {'h', "is stopped (hw.state) after it was added with PERF_EF_START", "cmem_lat_pmu_add"},
      {'+', "answers 1, which is no errno", "cmem_lat_pmu_add"},
      {'c', "has changed while it was off: after", "cmem_lat_pmu_del"},
      {'y', "to an event of type 4, which is not its own", "cmem_lat_pmu_event_init"},
      {'N', "a mask of CPUs is asked for CPU -1, and there are 8", "cmem_lat_pmu_event_init"},
      {'E', "leaves an event on CPU 2, and cpumask says 1", "cmem_lat_pmu_event_init"},
      {'G', "answers -22 to an event beside 1 software events of its group, and takes it alone",
       "cmem_lat_pmu_event_init"},
      {'C', "a cpus_read_lock() is still held at the return from the driver", "fault_in_probe"},
      {'g', "a mutex is still held at the return from the driver", "fault_in_probe"},
      {'M', "device memory at 0x1000 is still mapped; it was mapped", "fault_in_probe"},
      {'U', "nvidia_cmem_latency_pmu_0 is still registered after its driver has left", "cmem_lat_pmu_probe"},
      {'D', "a call has waited for 3000 us with interrupts off (udelay() and the like), and 2000 us are the most",
       "fault_in_read"},
      {'K', "an object of 8388608 bytes cannot be had from kmalloc(): the largest has 4194304 bytes", "fault_in_probe"},
      {'W', "an object of 67108864 bytes cannot be had from kmalloc(): the largest has 4194304 bytes",
       "fault_in_probe"},
      {'Z', "an object of 4194432 bytes cannot be had from kmalloc(): the largest has 4194304 bytes", "fault_in_probe"},
      {'P', "an object of 40960 bytes for each CPU cannot be had: the largest has 32768 bytes", "fault_in_probe"},
      {'R', "a reference to the device NVDA2021:00 is never put; it was taken", "fault_in_probe"},
      {'A', "a reference to the ACPI device NVDA2021 is never put; it was taken", "fault_in_probe"},
      {'F', "a reference to the node of firmware is never put; it was taken", "fault_in_probe"},
      {'I', "interrupt 4711 is requested after the PMU of NVDA2021:00 was registered: an event may count already",
       "cmem_lat_pmu_probe"},
      {'0', "nvidia_cmem_latency_pmu_0/events/cycles: show() returned 0: the file is empty on Linux",
       "cmem_lat_pmu_sysfs_event_show"},
      {'-', "nvidia_cmem_latency_pmu_0/identifier: show() returned -5: the file cannot be read on Linux",
       "cmem_lat_pmu_identifier_show"},
      {'1', "/events/cycles: show() wrote 10 bytes and returned 1: the rest is not in the file on Linux",
       "cmem_lat_pmu_sysfs_event_show"},
      {'4', "/events/cycles: fill_read_buffer: show() returned bad count, 8192: the file has 4095 bytes on Linux",
       "cmem_lat_pmu_sysfs_event_show"},
      {'q', "adding an event of nvidia_cmem_latency_pmu_0 answers ENOSPC with 1 of 3 counters used",
       "cmem_lat_pmu_add"},
      {'H', "the hotplug state 'perf/nvidia/cmem_latency:online' is left behind", "cmem_lat_pmu_init"},
  };
  for (const Rule& rule : rules) {
    EXPECT_THAT(failures(rule.fault), AllOf(HasSubstr("kernel_warnings: the kernel warned"), HasSubstr(rule.text),
                                            HasSubstr(", in " + rule.function + kOfThisDriver)))
        << rule.fault;
    EXPECT_EQ(outcome.exit_code, 1) << rule.fault;
    EXPECT_EQ(run.at("status"), "failed") << rule.fault;
  }
}

/// perf sees an empty file. Nothing is wrong with the scenario that uses the event, or with the platform.
TEST_F(DriverRule, an_event_whose_file_is_empty_or_cannot_be_read_is_the_drivers_mistake_everywhere) {
  EXPECT_THAT(failures('0'), AllOf(HasSubstr("published: measure "),
                                   HasSubstr("cannot be opened: the driver publishes nvidia_cmem_latency_pmu_0/events/"
                                             "cycles as '': the file is empty, or cannot be read")));
  EXPECT_EQ(run.at("status"), "failed");
  EXPECT_THAT(ended(0, list('0')).out,
              ::testing::ContainsRegex("nvidia_cmem_latency_pmu_0/cycles/ +\\[\\]  unusable: the driver "
                                       "publishes nvidia_cmem_latency_pmu_0/events/cycles as ''"));
}

TEST_F(DriverRule, misused_memory_is_told_with_the_function) {
  for (const auto& [fault, text] : std::vector<std::pair<char, std::string>>{
           {'l', "an object of 24 bytes is never freed; it was allocated"},
           {'f', "memory is freed twice"},
           {'x', "memory is freed that was not allocated"},
           {'b', "memory was written beyond the end of an object of 24 bytes; it was allocated"},
           {'a', "an object of 24 bytes was written to after it had been freed; it was allocated"},
           {'j', "memory of a device (devm) is freed with kfree()"}}) {
    EXPECT_THAT(failures(fault), AllOf(HasSubstr(text), HasSubstr(fmt::format(", in fault_in_probe{}", kOfThisDriver))))
        << fault;
    EXPECT_EQ(outcome.exit_code, 1) << fault;
  }
}

TEST_F(DriverRule, a_panic_names_the_function) {
  for (const auto& [fault, text] : std::vector<std::pair<char, std::string>>{
           {'d', "deadlock: this spinlock is already held, taken by fault_in_read"},
           {'n', "Unable to handle kernel NULL pointer dereference"}}) {
    EXPECT_THAT(failures(fault), AllOf(HasSubstr("kernel_panic: "), HasSubstr(text),
                                       HasSubstr(fmt::format(", in fault_in_read{}", kOfThisDriver))))
        << fault;
  }
}

TEST_F(DriverRule, a_stack_and_a_time_that_a_kernel_has_not_are_panics) {
  EXPECT_THAT(failures('S'), AllOf(HasSubstr("kernel_panic: "), HasSubstr("kernel stack overflow: the driver has "),
                                   HasSubstr(fmt::format(", in fault_depth{}", kOfThisDriver))));
  EXPECT_THAT(failures('Q'), HasSubstr("work is queued for ever: 100000 times at one instant, at last "
                                       "fault_work() of nvidia_t410_cmem_latency_pmu.c"));
  EXPECT_THAT(failures('t'),
              AllOf(HasSubstr("kernel_panic: "), HasSubstr("the CPU is locked up: a timer was due 1000 times in "),
                    HasSubstr(fmt::format(", in fault_tick{}", kOfThisDriver))));
}

TEST_F(DriverRule, counters_that_are_not_given_back_are_told) {
  EXPECT_THAT(failures('v'), HasSubstr("released: not all that events had taken can be had again: "
                                       "nvidia_cmem_latency_pmu_0, its events of the run in turn: room for "));
  EXPECT_EQ(outcome.exit_code, 1);
}

TEST_F(DriverRule, an_event_that_is_shown_and_refused_is_told) {
  EXPECT_THAT(failures('V'), HasSubstr("published: nvidia_cmem_latency_pmu_0 at the end: events has rd_req (EINVAL), "
                                       "which event_init refuses"));
  EXPECT_EQ(outcome.exit_code, 1);
}

TEST_F(DriverRule, an_event_that_is_refused_without_need_is_wrong_and_turns_are_not_to_blame) {
  EXPECT_THAT(failures('q'), HasSubstr("kernel_warnings"));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("its driver answered ENOSPC with 1 of 3 counters used"),
                                 Not(HasSubstr("events take turns"))));
}

TEST_F(DriverRule, cpus_that_cannot_be_are_told) {
  EXPECT_THAT(failures('T'), AllOf(HasSubstr("published: nvidia_cmem_latency_pmu_0 at "),
                                   HasSubstr(" (cpu 0 offline): cpumask names cpu 0, which is not online")));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(failures('B'), AllOf(HasSubstr("published: nvidia_cmem_latency_pmu_0 after load_drivers: cpumask is '0-"),
                                   HasSubstr("', not one CPU")));
  EXPECT_EQ(outcome.exit_code, 1);
}

TEST_F(DriverRule, what_the_kernel_allows_passes) {
  EXPECT_EQ(failures('L'), "");
  EXPECT_EQ(run.at("status"), "passed");
  EXPECT_EQ(outcome.exit_code, 0);
}

/// What a kernel's build refuses.
class DriverBuildRule : public DriverFault {
 protected:
  static constexpr const char* kProbe = "cmem_lat_pmu_probe(struct platform_device *pdev)\n{";
  static constexpr const char* kRead = "cmem_lat_pmu_read(struct perf_event *event)\n{";

  /// @return what `pmufab driver build` says of a function that begins with these statements
  std::string refusal(const std::string& function, const std::string& statement) {
    std::string text = original();
    const std::size_t begin = text.find(function);
    EXPECT_NE(begin, std::string::npos) << function;
    text.insert(text.find('{', begin) + 1, statement);
    const Outcome built = ended(
        1, pmufab(driver_build(write(kFile, "#include <linux/delay.h>\n" + text), version(), folder / "own.so", true)));
    return built.err;
  }

  /// @return what a run says of the kernel's driver without this line
  std::string complaint(const std::string& without) {
    return complaint(kFile, "", without,
                     write("rules.yaml", "name: rules\nplatform: " + shipped("platforms/tegra410-1s-small.yaml") +
                                             "\nduration: 20 us\nmeasure:\n  - events: "
                                             "[nvidia_cmem_latency_pmu_0/cycles/]\n"));
  }

  /// @param file   below drivers/perf
  /// @param after  the line is the first one behind this
  std::string complaint(const std::string& file, const std::string& after, const std::string& without,
                        const std::string& scenario) {
    std::string text = original(file);
    const std::size_t from = text.find(after);
    const std::size_t at = text.find(without, from);
    EXPECT_NE(at, std::string::npos) << without;
    if (at != std::string::npos) text.erase(at, text.find('\n', at) - at);
    const std::string drivers = drivers_of(std::filesystem::path(file).filename(), text, true);
    const Outcome outcome = ended(1, pmufab({"run", scenario, "--driver", drivers}));
    return outcome.out + outcome.err;
  }
};

TEST_F(DriverBuildRule, large_frames_floating_point_and_long_delays_do_not_compile) {
#ifndef PMUFAB_SANITIZED
  EXPECT_THAT(refusal(kProbe, "volatile char large[64 << 10]; large[pdev->id & 1023] = 1;"),
              AllOf(HasSubstr("cmem_lat_pmu_probe"), HasSubstr("larger than 2048 bytes")));
  EXPECT_THAT(refusal(kRead, "volatile char large[40 << 10]; large[event->cpu & 1023] = 1;"),
              AllOf(HasSubstr("cmem_lat_pmu_read"), HasSubstr("larger than 2048 bytes")));
#endif
  EXPECT_THAT(refusal(kRead, "volatile char large[event->cpu + 40960]; large[event->cpu] = 1;"),
              AllOf(HasSubstr("cmem_lat_pmu_read"), HasSubstr("-Werror=vla")));
  EXPECT_THAT(refusal(kRead, "volatile char* large = __builtin_alloca(40 << 10); large[event->cpu] = 1;"),
              AllOf(HasSubstr("cmem_lat_pmu_read"), HasSubstr("-Werror=alloca")));
  EXPECT_THAT(
      refusal(kRead, "volatile long share = event->cpu; share = (long)((double)share * 0.37);"),
      AllOf(HasSubstr("floating point: a kernel has none (-mgeneral-regs-only)"), HasSubstr("cmem_lat_pmu_read")));
  EXPECT_THAT(refusal(kProbe, "udelay(20001);"),
              AllOf(HasSubstr("cmem_lat_pmu_probe"),
                    HasSubstr("udelay() of more than 20000 us: the kernel refuses it (__bad_udelay)")));
}

TEST_F(DriverBuildRule, modules_that_modpost_refuses_and_udev_does_not_load_are_told) {
  EXPECT_THAT(complaint("MODULE_LICENSE("),
              HasSubstr("the module nvidia_t410_cmem_latency_pmu has no MODULE_LICENSE(): "
                        "modpost refuses it, in cmem_lat_pmu_init() of "));
  EXPECT_THAT(
      complaint("MODULE_DEVICE_TABLE(acpi"),
      HasSubstr("the module nvidia_t410_cmem_latency_pmu serves NVDA2021:00 and has no MODULE_DEVICE_TABLE(acpi, "
                "...): nothing loads it on Linux, in cmem_lat_pmu_init() of "));
  const std::string cxl = write("cxl.yaml", "name: cxl\nplatform: " + shipped("platforms/cxl-exact.yaml") +
                                                "\nduration: 20 us\nmeasure:\n  - events: "
                                                "[cxl_pmu_mem0.0/clock_ticks/]\n");
  EXPECT_THAT(complaint("cxl_pmu.c", "", "MODULE_ALIAS_CXL(", cxl),
              HasSubstr("the module cxl_pmu serves pmu_mem0.0 and has no MODULE_ALIAS_CXL(): nothing loads it"));
}

/// Each puts what it has got. Without that, the object stays for ever.
TEST_F(DriverBuildRule, a_kernels_driver_without_one_of_its_puts_is_told) {
  const std::string ucf =
      write("ucf.yaml", "name: ucf\nplatform: " + shipped("platforms/tegra410-1s-small.yaml") +
                            "\nduration: 20 us\nmeasure:\n  - events: [nvidia_ucf_pmu_0/cycles/]\n");
  EXPECT_THAT(complaint("arm_cspmu/arm_cspmu.c", "void arm_cspmu_impl_unregister(", "put_device(", ucf),
              HasSubstr("a reference to the device arm-cs-arch-pmu.0 is never put; it was taken, in "
                        "arm_cspmu_impl_unregister() of arm_cspmu.c"));
  EXPECT_THAT(complaint("arm_cspmu/nvidia_cspmu.c", "\"instance_id\"", "acpi_dev_put(", ucf),
              AllOf(HasSubstr("a reference to the ACPI device NVDA10"),
                    HasSubstr(" is never put; it was taken, in arm_cspmu_acpi_dev_get() of arm_cspmu.c")));
  const std::string port =
      write("port.yaml", "name: port\nplatform: " + shipped("platforms/dwc-root-ports.yaml") +
                             "\nduration: 20 us\nmeasure:\n  - events: [dwc_rootport_20000/one_cycle/]\n");
  EXPECT_THAT(complaint("dwc_pcie_pmu.c", "int dwc_pcie_pmu_probe(", "pci_dev_put(", port),
              HasSubstr("a reference to the PCI device 0002:00:00.0 is never put; it was taken, in "
                        "dwc_pcie_pmu_probe() of dwc_pcie_pmu.c"));
}

}  // namespace
}  // namespace pmufab::testing
