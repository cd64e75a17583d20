/*
 * blockdev.h: names that the system has for block devices and for what is mounted of them, from
 * /sys and /proc, asked once.
 */
#ifndef PROVIDERS_SYSTEM_BLOCKDEV_H
#define PROVIDERS_SYSTEM_BLOCKDEV_H

#include "base/err.h"

struct blockdevs;

struct blockdevs *blockdevs_new(void);
void blockdevs_free(struct blockdevs *);
/* Of its driver, "virtio_blk"; "" if nobody says. */
const char *blockdev_driver(struct blockdevs *, unsigned major, unsigned minor);
const char *blockdev_name(struct blockdevs *, unsigned major, unsigned minor); /* "vda", or "" */
/* Where the file system on that device is mounted, "/"; "" : nowhere that can be seen. */
const char *blockdev_mount(struct blockdevs *, unsigned major, unsigned minor);

#endif
