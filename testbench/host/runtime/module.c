// SPDX-License-Identifier: BSD-2-Clause
/* Kernel modules (one driver file each) and the queue of work that waits until its caller has returned. */
#include "runtime.h"

enum { kModules = 64 /* bits of a set */, kRequests = 64 };

static struct module* modules[kModules]; /* in link order */
static int module_count;
static struct module* loaded[kModules]; /* in order of loading */
static int loaded_count;
static char requests[kRequests][64];
static int request_count;

void pmufab_module_register(struct module* module) {
  for (int i = 0; i < module_count; i++)
    if (modules[i] == module) return;
  if (module_count < kModules) modules[module_count++] = module;
}

/* A set of modules has a bit for each, in link order. */
static u64 bit_of(const struct module* module) {
  for (int i = 0; i < module_count; i++)
    if (modules[i] == module) return 1ull << i;
  return 0;
}

bool try_module_get(struct module* module) {
  if (!module || bit_of(module) == 0) return true;  // a file that names no module is a part of another one
  if (!module->loaded) return false;
  module->references++;
  if (pmufab_probing && pmufab_probing->driver->owner != module) pmufab_probing->helpers |= bit_of(module);
  return true;
}

void pmufab_mark_used(u64 set) {
  for (int i = 0; i < module_count; i++)
    if ((set & (1ull << i)) != 0) modules[i]->is_used = true;
}

void module_put(struct module* module) {
  if (!module || bit_of(module) == 0) return;
  WARN(module->references == 0, "module %s is put more often than taken\n", module->name);
  if (module->references > 0) module->references--;
}

static void keep_table(struct module* module, const char* text) {
  for (size_t i = 0; i < ARRAY_SIZE(module->tables); i++) {
    if (module->tables[i]) continue;
    module->tables[i] = text;
    break;
  }
}

/* Of a bus without tables. */
void pmufab_module_has_alias(struct module* module, const char* text) {
  if (strncmp(text, "cxl:", 4) == 0) keep_table(module, text);
}

void pmufab_module_has_table(struct module* module, const char* kind) {
  module->has_device_table = true;
  keep_table(module, kind);
}

/* What modpost asks of a module, and what the linker of modules asks of one that calls the perf core. */
static void check_license(const struct module* module) {
  static const char* const compatible[] = {"GPL",          "GPL v2",       "GPL and additional rights",
                                           "Dual BSD/GPL", "Dual MIT/GPL", "Dual MPL/GPL"};
  const void* const place = module->init ? PMUFAB_PLACE_OF(module->init) : NULL;
  if (!module->license) {
    pmufab_rule(place, "the module %s has no MODULE_LICENSE(): modpost refuses it", module->name);
    return;
  }
  for (size_t i = 0; i < ARRAY_SIZE(compatible); i++)
    if (strcmp(module->license, compatible[i]) == 0) return;
  pmufab_rule(place,
              "the licence '%.40s' of the module %s is not compatible with the GPL: modpost refuses it, because "
              "perf_pmu_register() is for such modules only",
              module->license, module->name);
}

void pmufab_module_check_table(const struct module* module, const char* kind, const char* device) {
  const size_t length = strlen(kind);
  for (size_t i = 0; i < ARRAY_SIZE(module->tables) && module->tables[i]; i++) {
    const char* const table = module->tables[i];
    if (strncmp(table, kind, length) == 0 && (table[length] == '\0' || table[length] == ':')) return;
  }
  char wanted[64] = "MODULE_ALIAS_CXL()";
  if (strcmp(kind, "cxl") != 0) snprintf(wanted, sizeof(wanted), "MODULE_DEVICE_TABLE(%s, ...)", kind);
  pmufab_rule(module->init ? PMUFAB_PLACE_OF(module->init) : NULL,
              "the module %s serves %s and has no %s: nothing loads it on Linux", module->name, device, wanted);
}

void pmufab_module_has_parameter(struct kernel_param* parameter) {
  parameter->next = parameter->mod->parameters;
  parameter->mod->parameters = parameter;
}

#define PARAMETER_FUNCTIONS(name, type, parse, format)                           \
  int param_set_##name(const char* text, const struct kernel_param* parameter) { \
    return parse(text, 0, (type*)parameter->arg);                                \
  }                                                                              \
  int param_get_##name(char* page, const struct kernel_param* parameter) {       \
    return sysfs_emit(page, format "\n", *(type*)parameter->arg);                \
  }
PARAMETER_FUNCTIONS(int, int, kstrtoint, "%d")
PARAMETER_FUNCTIONS(uint, unsigned int, kstrtouint, "%u")
PARAMETER_FUNCTIONS(ulong, unsigned long, kstrtoul, "%lu")

/* As somebody who reads /sys/module/NAME/parameters, and writes the same text back. */
static void check_parameter(const struct module* module, const struct kernel_param* parameter) {
  enum { kReadable = 0444, kWritable = 0222 };
  char owner[96];
  char* page = pmufab_sysfs_buffer();
  if (!page) return;
  snprintf(owner, sizeof(owner), "%s/parameters", module->name);
  if (parameter->perm & kReadable && parameter->ops->get) {
    int length, error = 0;
    pmufab_sysfs_prepare(page);
    PMUFAB_CALL(length = parameter->ops->get(page, parameter));
    const bool is_wrong =
        pmufab_sysfs_check(PMUFAB_PLACE_OF(parameter->ops->get), "get()", owner, parameter->name, length, page);
    if (!is_wrong && parameter->perm & kWritable && parameter->ops->set)
      PMUFAB_CALL(error = parameter->ops->set(page, parameter));
    if (error)
      pmufab_rule(PMUFAB_PLACE_OF(parameter->ops->set), "%s/%s: set() returned %d to the text that get() gave%s", owner,
                  parameter->name, error, error > 0 ? ", which is no errno" : "");
  }
  pmufab_libc_free(page);
}

static void load(struct module* module) {
  if (module->loaded) return;
  if (!module->is_built_in) check_license(module);
  module->loaded = true;
  loaded[loaded_count++] = module;
  int error = 0;
  if (module->init) PMUFAB_CALL(error = module->init());
  if (error) {
    pr_err("module %s: init failed with error %d\n", module->name, error);
    module->loaded = false;
    loaded_count--;
    return;
  }
  for (const struct kernel_param* parameter = module->parameters; parameter; parameter = parameter->next)
    check_parameter(module, parameter);
}

/* '-' and '_' are the same in names of modules. */
static bool same_name(const char* left, const char* right) {
  for (; *left && *right; left++, right++)
    if (*left != *right && !((*left == '-' || *left == '_') && (*right == '-' || *right == '_'))) return false;
  return *left == *right;
}

static struct module* find(const char* name) {
  for (int i = 0; i < module_count; i++)
    if (same_name(modules[i]->name, name)) return modules[i];
  return NULL;
}

int request_module_nowait(const char* format, ...) {
  char name[64];
  PRINT(name, sizeof(name), format);
  for (int i = 0; i < request_count; i++)
    if (strcmp(requests[i], name) == 0) return 0;
  if (request_count < kRequests) strcpy(requests[request_count++], name);
  return 0;
}

void pmufab_run_queued_work(void) {
  while (request_count > 0) {
    char name[64];
    strcpy(name, requests[0]);
    memmove(requests[0], requests[1], sizeof(requests[0]) * (size_t)--request_count);
    struct module* module = find(name);
    if (!module) continue;
    if (!module->loaded && !module->has_device_table) module->is_helper = true;
    load(module);
  }
  pmufab_deferred_probe_run();
}

void pmufab_modules_load_for_devices(void) {
  for (int i = 0; i < module_count; i++) {
    if (!modules[i]->has_device_table) continue;
    load(modules[i]);
    pmufab_run_queued_work();
  }
}

void pmufab_modules_load_rest(void) {
  for (int i = 0; i < module_count; i++) {
    load(modules[i]);
    pmufab_run_queued_work();
  }
}

static void unload(struct module* module) {
  WARN(module->references, "module %s is unloaded while in use\n", module->name);
  if (module->exit) PMUFAB_CALL(module->exit());
  module->loaded = false;
}

void pmufab_modules_unload(void) {
  while (loaded_count > 0) unload(loaded[--loaded_count]);
}

bool pmufab_modules_stay(void) {
  bool stays = false;
  for (int i = 0; i < module_count; i++) {
    if (modules[i]->is_used && !modules[i]->is_built_in) return false;
    stays = stays || modules[i]->is_used;
  }
  return stays;
}

int pmufab_module_unload(const char* name) {
  struct module* module = find(name);
  if (!module || !module->loaded) return -ENOENT;
  if (module->references || module->is_built_in) return -EBUSY;
  unload(module);
  int kept = 0;
  for (int i = 0; i < loaded_count; i++)
    if (loaded[i] != module) loaded[kept++] = loaded[i];
  loaded_count = kept;
  return 0;
}

int pmufab_module_load(const char* name) {
  struct module* module = find(name);
  if (!module) return -ENOENT;
  load(module);
  return module->loaded ? 0 : -EINVAL;
}

void pmufab_list_modules(void* context, void (*module)(void* context, const char* name, int is_helper)) {
  for (int i = 0; i < loaded_count; i++) module(context, loaded[i]->name, loaded[i]->is_helper);
}

void pmufab_list_drivers(void* context,
                         void (*driver)(void* context, const char* file, const char* sha256, int own, int is_used),
                         void (*pmu)(void* context, const char* name)) {
  struct pmufab_perf_pmu* core;
  for (int i = 0; i < module_count; i++) {
    const struct module* const module = modules[i];
    driver(context, module->file, module->sha256, module->own, module->is_used);
    list_for_each_entry(core, &pmufab_perf_pmus, node) if (core->module == module || (core->helpers & (1ull << i)) != 0)
        pmu(context, core->pmu->name);
  }
}
