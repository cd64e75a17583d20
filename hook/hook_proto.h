/*
 * hook_proto.h: the treaty between the engine and what it puts into a target. Version HOOK_VERSION;
 * offsets and sizes only, no pointers of either side.
 *
 *   counters (one memfd, mapped shared by both; below 2 GiB in the target)
 *     block 0   anybody's: threads of forked children count here, and nobody reads it
 *     block 1.. one per live thread of the target; a block that a thread left goes to the next one,
 *               as it is: a function's count is the sum over all blocks, and only grows
 *     in a block: one 64-bit count per hooked function, by number
 */
#ifndef HOOK_HOOK_PROTO_H
#define HOOK_HOOK_PROTO_H

#define HOOK_VERSION 1

/*
 * The word of the thread control block (%fs:) that holds the distance of the thread's block from
 * block 0. In glibc on x86-64 it is the last of __glibc_unused2, 512 bytes kept for the layout's
 * sake (nptl/tls.h); it is zero in a new thread, or what a thread that is gone has left.
 */
#define HOOK_WORD 0x278

#endif
