#ifndef _FP_NET_ETHERNET_H
#define _FP_NET_ETHERNET_H
#include <features.h>
#include <sys/types.h>
#include <stdint.h>
#include <linux/if_ether.h>
struct ether_addr { uint8_t ether_addr_octet[6]; } __attribute__((packed));
struct ether_header { uint8_t ether_dhost[6]; uint8_t ether_shost[6]; uint16_t ether_type; } __attribute__((packed));
#define ETHERTYPE_PUP 512
#define ETHERTYPE_SPRITE 1280
#define ETHERTYPE_IP 2048
#define ETHERTYPE_ARP 2054
#define ETHERTYPE_REVARP 32821
#define ETHERTYPE_AT 32923
#define ETHERTYPE_AARP 33011
#define ETHERTYPE_VLAN 33024
#define ETHERTYPE_IPX 33079
#define ETHERTYPE_IPV6 34525
#define ETHERTYPE_LOOPBACK 36864
#define ETHER_ADDR_LEN 6
#define ETHER_TYPE_LEN 2
#define ETHER_CRC_LEN 4
#define ETHER_HDR_LEN 14
#define ETHER_MIN_LEN 64
#define ETHER_MAX_LEN 1518
#define ETHER_IS_VALID_LEN(foo) ((foo) >= ETHER_MIN_LEN && (foo) <= ETHER_MAX_LEN)
#define ETHERTYPE_TRAIL 4096
#define ETHERTYPE_NTRAILER 16
#define ETHERMTU 1500
#define ETHERMIN 46
#endif
