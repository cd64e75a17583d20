/*
 * Nor is an aggregation.
 *
 * line: 8
 * message: dynamic expression may not be used as associative array index: key #1
 */

BEGIN { @b = count(); a[@b] = 1; }
