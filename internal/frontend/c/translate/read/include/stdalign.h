#ifndef _FP_STDALIGN_H
#define _FP_STDALIGN_H
#if __STDC_VERSION__ < 202000L
#define alignas _Alignas
#define alignof _Alignof
#endif
#define __alignas_is_defined 1
#define __alignof_is_defined 1
#endif
