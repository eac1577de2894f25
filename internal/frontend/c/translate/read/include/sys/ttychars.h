#ifndef _FP_SYS_TTYCHARS_H
#define _FP_SYS_TTYCHARS_H
#include <features.h>
struct ttychars { char tc_erase; char tc_kill; char tc_intrc; char tc_quitc; char tc_startc; char tc_stopc; char tc_eofc; char tc_brkc; char tc_suspc; char tc_dsuspc; char tc_rprntc; char tc_flushc; char tc_werasc; char tc_lnextc; };
#endif
