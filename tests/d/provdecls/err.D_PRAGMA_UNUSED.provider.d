/*
 * Attributes of a provider that is never declared are unused.
 *
 * line: 8
 * message: unused #pragma attributes
 */

#pragma D attributes Stable/Stable/Common provider nosuch provider

BEGIN { exit(0); }
