#ifndef _FP_SYS_DIR_H
#define _FP_SYS_DIR_H
#include <dirent.h>
#endif
