#include <linux/smp.h>
