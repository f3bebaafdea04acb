#include <linux/pci.h>
