#include <linux/math.h>
