#!/usr/bin/env -S dtrace -s
/* strings.d: what can be done with text. */
#pragma D option quiet

BEGIN
{
	s = "/usr/share/doc/dtrace";
	printf("strlen   %d\n", strlen(s));
	printf("substr   %s\n", substr(s, 5, 5));
	printf("index    %d\n", index(s, "share"));
	printf("rindex   %d\n", rindex(s, "/"));
	printf("strchr   %s\n", strchr(s, 'd'));
	printf("strstr   %s\n", strstr(s, "doc"));
	printf("basename %s\n", basename(s));
	printf("dirname  %s\n", dirname(s));
	printf("strjoin  %s\n", strjoin(s, "/demo"));
	printf("toupper  %s\n", toupper(basename(s)));
	printf("strtok   %s", strtok(s, "/"));
	printf(" %s\n", strtok(NULL, "/"));
	printf("strtoll  %d\n", strtoll("0x1f", 16));
	printf("lltostr  %s\n", lltostr(31, 2));
	printf("== < >   %d %d %d\n", s == "a", "a" < "b", "a" > "b");
	exit(0);
}
