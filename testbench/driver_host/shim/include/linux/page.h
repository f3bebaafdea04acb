#include <asm/page.h>
