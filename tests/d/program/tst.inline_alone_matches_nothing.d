/*
 * A file with at least one inline compiles, then no probes are matched.
 *
 * status: 1
 */

inline int one = 1;
