#include <linux/io.h>
