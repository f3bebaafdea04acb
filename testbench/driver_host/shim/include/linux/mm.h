#include <linux/page.h>
#include <linux/slab.h>
