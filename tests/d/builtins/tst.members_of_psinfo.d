/*
 * Members of psinfo_t and lwpsinfo_t that are constants here, and the name of the thread as bytes.
 *
 * opts: -q
 */

BEGIN
{
	printf("%d %d\n", curpsinfo->pr_nzomb, curpsinfo->pr_contract);
	printf("%s %c %d %d\n", curlwpsinfo->pr_name, curlwpsinfo->pr_name[2], sizeof (curlwpsinfo->pr_name),
	    curlwpsinfo->pr_name == "dtrace");
	exit(0);
}
