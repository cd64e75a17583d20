/*
 * What etw_trace() is not given is named.
 *
 * message: etw_trace( ) argument #1 missing - provider name
 * line: 10
 */

BEGIN
{
	etw_trace();
}
