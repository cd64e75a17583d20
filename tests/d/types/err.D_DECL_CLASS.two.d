/*
 * A declaration has one storage class.
 *
 * message: only one storage class allowed in a declaration
 * line: 8
 */

self this int x;
BEGIN { exit(0); }
