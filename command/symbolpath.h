/*
 * symbolpath.h: where debug information is looked for (-y).
 */
#ifndef COMMAND_SYMBOLPATH_H
#define COMMAND_SYMBOLPATH_H

/* DIR, URL (of a debuginfod) or DIR:URL: before what is known already. */
void symbolpath_add(const char *arg);

#endif
