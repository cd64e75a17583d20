/*
 * A member of lwpsinfo_t that the translator does not give.
 */

BEGIN
{
	trace(curlwpsinfo->pr_oldpri);
}
