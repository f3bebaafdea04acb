#include <linux/of.h>
