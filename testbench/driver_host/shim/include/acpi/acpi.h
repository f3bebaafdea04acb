#include <linux/acpi.h>
