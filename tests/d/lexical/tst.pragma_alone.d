/*
 * #, #pragma, #pragma D and pragmas that are not of D are ignored.
 *
 * opts: -q
 */

#
#pragma
#pragma D
#pragma once
#pragma ident "text"
#ident "text"
BEGIN { exit(0); }
