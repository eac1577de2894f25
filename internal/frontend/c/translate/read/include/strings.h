#ifndef _FP_STRINGS_H
#define _FP_STRINGS_H
#include <string.h>
#endif
