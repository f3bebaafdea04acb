#include <linux/irqflags.h>
