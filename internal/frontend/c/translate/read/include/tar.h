#ifndef _FP_TAR_H
#define _FP_TAR_H
#include <features.h>
#define TSUID 2048
#define TSGID 1024
#define TSVTX 512
#define TUREAD 256
#define TUWRITE 128
#define TUEXEC 64
#define TGREAD 32
#define TGWRITE 16
#define TGEXEC 8
#define TOREAD 4
#define TOWRITE 2
#define TOEXEC 1
#define REGTYPE '0'
#define AREGTYPE '\0'
#define LNKTYPE '1'
#define SYMTYPE '2'
#define CHRTYPE '3'
#define BLKTYPE '4'
#define DIRTYPE '5'
#define FIFOTYPE '6'
#define CONTTYPE '7'
#define TMAGIC "ustar"
#define TMAGLEN 6
#define TVERSION "00"
#define TVERSLEN 2
#endif
