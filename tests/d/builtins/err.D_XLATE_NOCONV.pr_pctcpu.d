/*
 * A member of psinfo_t that the translator does not give.
 */

BEGIN
{
	this->x = curpsinfo->pr_pctcpu;
}
