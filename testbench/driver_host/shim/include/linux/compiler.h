#include <linux/compiler_types.h>
