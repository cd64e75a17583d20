/*
 * A conversion has one precision.
 *
 * line: 8
 * message: format conversion #1 has more than one '.' specified
 */

BEGIN { printf("%.1.2d", 1); }
