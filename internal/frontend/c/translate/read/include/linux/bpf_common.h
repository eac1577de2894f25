#ifndef _FP_LINUX_BPF_COMMON_H
#define _FP_LINUX_BPF_COMMON_H
#include <features.h>
#define BPF_CLASS(code) ((code) & 0x07)
#define BPF_LD 0
#define BPF_LDX 1
#define BPF_ST 2
#define BPF_STX 3
#define BPF_ALU 4
#define BPF_JMP 5
#define BPF_RET 6
#define BPF_MISC 7
#define BPF_SIZE(code) ((code) & 0x18)
#define BPF_W 0
#define BPF_H 8
#define BPF_B 16
#define BPF_MODE(code) ((code) & 0xe0)
#define BPF_IMM 0
#define BPF_ABS 32
#define BPF_IND 64
#define BPF_MEM 96
#define BPF_LEN 128
#define BPF_MSH 160
#define BPF_OP(code) ((code) & 0xf0)
#define BPF_ADD 0
#define BPF_SUB 16
#define BPF_MUL 32
#define BPF_DIV 48
#define BPF_OR 64
#define BPF_AND 80
#define BPF_LSH 96
#define BPF_RSH 112
#define BPF_NEG 128
#define BPF_MOD 144
#define BPF_XOR 160
#define BPF_JA 0
#define BPF_JEQ 16
#define BPF_JGT 32
#define BPF_JGE 48
#define BPF_JSET 64
#define BPF_SRC(code) ((code) & 0x08)
#define BPF_K 0
#define BPF_X 8
#define BPF_MAXINSNS 4096
#endif
