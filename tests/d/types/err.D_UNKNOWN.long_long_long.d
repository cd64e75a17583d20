/*
 * There is nothing longer than long long.
 *
 * message: failed to resolve type long long long : Unknown type name
 * line: 8
 */

long long long x;
BEGIN { exit(0); }
