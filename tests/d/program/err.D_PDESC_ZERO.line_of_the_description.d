/*
 * In a list each description has its own line.
 *
 * message: probe description nosuch::: does not match any probes
 * line: 9
 */

BEGIN,
nosuch:::
{
}
