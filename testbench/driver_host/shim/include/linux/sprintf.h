#include <linux/printk.h>
