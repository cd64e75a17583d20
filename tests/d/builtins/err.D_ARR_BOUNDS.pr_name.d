/*
 * The name of a thread has 16 bytes.
 */

BEGIN
{
	trace(curlwpsinfo->pr_name[16]);
}
