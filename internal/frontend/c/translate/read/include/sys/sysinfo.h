#ifndef _FP_SYS_SYSINFO_H
#define _FP_SYS_SYSINFO_H
struct sysinfo { long uptime; unsigned long loads[3], totalram, freeram, sharedram, bufferram, totalswap, freeswap; unsigned short procs, pad; unsigned long totalhigh, freehigh; unsigned mem_unit; char _f[0]; };
int sysinfo(struct sysinfo *);
int get_nprocs_conf(void);
int get_nprocs(void);
long int get_phys_pages(void);
long int get_avphys_pages(void);
#endif
