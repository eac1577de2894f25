#ifndef _FP_MEMORY_H
#define _FP_MEMORY_H
#include <string.h>
#endif
