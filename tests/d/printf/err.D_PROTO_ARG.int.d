/*
 * printf takes a string first, which is looked at before what it says.
 *
 * line: 7
 */

BEGIN { printf(1, 2); }
