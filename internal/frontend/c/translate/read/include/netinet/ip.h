#ifndef _FP_NETINET_IP_H
#define _FP_NETINET_IP_H
#include <features.h>
#include <sys/types.h>
#include <netinet/in.h>
struct timestamp { uint8_t len; uint8_t ptr; unsigned int flags:4; unsigned int overflow:4; uint32_t data[9]; };
struct iphdr { unsigned int ihl:4; unsigned int version:4; uint8_t tos; uint16_t tot_len; uint16_t id; uint16_t frag_off; uint8_t ttl; uint8_t protocol; uint16_t check; uint32_t saddr; uint32_t daddr; };
#define IP_RF 32768
#define IP_DF 16384
#define IP_MF 8192
#define IP_OFFMASK 8191
struct ip { unsigned int ip_hl:4; unsigned int ip_v:4; uint8_t ip_tos; unsigned short ip_len; unsigned short ip_id; unsigned short ip_off; uint8_t ip_ttl; uint8_t ip_p; unsigned short ip_sum; struct in_addr ip_src, ip_dst; };
struct ip_timestamp { uint8_t ipt_code; uint8_t ipt_len; uint8_t ipt_ptr; unsigned int ipt_flg:4; unsigned int ipt_oflw:4; uint32_t data[9]; };
#define IPVERSION 4
#define IP_MAXPACKET 65535
#define IPTOS_ECN_MASK 3
#define IPTOS_ECN(x) ((x) & IPTOS_ECN_MASK)
#define IPTOS_ECN_NOT_ECT 0
#define IPTOS_ECN_ECT1 1
#define IPTOS_ECN_ECT0 2
#define IPTOS_ECN_CE 3
#define IPTOS_DSCP_MASK 252
#define IPTOS_DSCP(x) ((x) & IPTOS_DSCP_MASK)
#define IPTOS_DSCP_AF11 40
#define IPTOS_DSCP_AF12 48
#define IPTOS_DSCP_AF13 56
#define IPTOS_DSCP_AF21 72
#define IPTOS_DSCP_AF22 80
#define IPTOS_DSCP_AF23 88
#define IPTOS_DSCP_AF31 104
#define IPTOS_DSCP_AF32 112
#define IPTOS_DSCP_AF33 120
#define IPTOS_DSCP_AF41 136
#define IPTOS_DSCP_AF42 144
#define IPTOS_DSCP_AF43 152
#define IPTOS_DSCP_EF 184
#define IPTOS_CLASS_MASK 224
#define IPTOS_CLASS(class) ((class) & IPTOS_CLASS_MASK)
#define IPTOS_CLASS_CS0 0
#define IPTOS_CLASS_CS1 32
#define IPTOS_CLASS_CS2 64
#define IPTOS_CLASS_CS3 96
#define IPTOS_CLASS_CS4 128
#define IPTOS_CLASS_CS5 160
#define IPTOS_CLASS_CS6 192
#define IPTOS_CLASS_CS7 224
#define IPTOS_CLASS_DEFAULT 0
#define IPTOS_TOS_MASK 30
#define IPTOS_TOS(tos) ((tos) & IPTOS_TOS_MASK)
#define IPTOS_LOWDELAY 16
#define IPTOS_THROUGHPUT 8
#define IPTOS_RELIABILITY 4
#define IPTOS_LOWCOST 2
#define IPTOS_MINCOST 2
#define IPTOS_PREC_MASK 224
#define IPTOS_PREC(tos) IPTOS_CLASS(tos)
#define IPTOS_PREC_NETCONTROL 224
#define IPTOS_PREC_INTERNETCONTROL 192
#define IPTOS_PREC_CRITIC_ECP 160
#define IPTOS_PREC_FLASHOVERRIDE 128
#define IPTOS_PREC_FLASH 96
#define IPTOS_PREC_IMMEDIATE 64
#define IPTOS_PREC_PRIORITY 32
#define IPTOS_PREC_ROUTINE 0
#define IPOPT_COPY 128
#define IPOPT_CLASS_MASK 96
#define IPOPT_NUMBER_MASK 31
#define IPOPT_COPIED(o) ((o) & IPOPT_COPY)
#define IPOPT_CLASS(o) ((o) & IPOPT_CLASS_MASK)
#define IPOPT_NUMBER(o) ((o) & IPOPT_NUMBER_MASK)
#define IPOPT_CONTROL 0
#define IPOPT_RESERVED1 32
#define IPOPT_DEBMEAS 64
#define IPOPT_MEASUREMENT 64
#define IPOPT_RESERVED2 96
#define IPOPT_EOL 0
#define IPOPT_END 0
#define IPOPT_NOP 1
#define IPOPT_NOOP 1
#define IPOPT_RR 7
#define IPOPT_TS 68
#define IPOPT_TIMESTAMP 68
#define IPOPT_SECURITY 130
#define IPOPT_SEC 130
#define IPOPT_LSRR 131
#define IPOPT_SATID 136
#define IPOPT_SID 136
#define IPOPT_SSRR 137
#define IPOPT_RA 148
#define IPOPT_OPTVAL 0
#define IPOPT_OLEN 1
#define IPOPT_OFFSET 2
#define IPOPT_MINOFF 4
#define MAX_IPOPTLEN 40
#define IPOPT_TS_TSONLY 0
#define IPOPT_TS_TSANDADDR 1
#define IPOPT_TS_PRESPEC 3
#define IPOPT_SECUR_UNCLASS 0
#define IPOPT_SECUR_CONFID 61749
#define IPOPT_SECUR_EFTO 30874
#define IPOPT_SECUR_MMMM 48205
#define IPOPT_SECUR_RESTR 44819
#define IPOPT_SECUR_SECRET 55176
#define IPOPT_SECUR_TOPSECRET 27589
#define MAXTTL 255
#define IPDEFTTL 64
#define IPFRAGTTL 60
#define IPTTLDEC 1
#define IP_MSS 576
#endif
