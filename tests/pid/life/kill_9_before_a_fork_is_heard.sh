# A child by fork has its parent's breakpoints from the moment it is there. When the engine is killed before it has heard
# of the child, they are taken out there, too: with -x follow, where the child keeps them, and without.
# needs: user
. tests/lib/lib.sh
. tests/lib/attach.sh
need cc

cat >"$TMP/forks.c" <<'END'
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noipa)) int probed(int x) { return x + 1; }
int main(void)
{
	char line[16];
	int status;

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(probed(6));
		waitpid(pid, &status, 0);
		printf("status %#x\n", status);
		fflush(stdout);
	}
	return 0;
}
END
cc -O1 -o "$TMP/forks" "$TMP/forks.c" || fail "no program"

for follow in follow nofollow; do
	start_ready "$TMP/forks"
	option=
	[ $follow = nofollow ] || option='-x follow'
	# shellcheck disable=SC2086
	trace $option -qn 'BEGIN { printf("armed\n"); } pid$target:a.out:probed:entry { @ = count(); }' -p "$target"
	traced
	engine=$(engine_of "$tracer")
	kill -STOP "$engine"
	until [ "$(sed 's/.*) //; s/ .*//' "/proc/$engine/stat")" != S ] && grep -q '^State:	[Tt]' "/proc/$engine/status"; do sleep 0.01; done
	tell fork
	# the kernel stops both: parent and child are in the hands of an engine that does nothing
	i=0
	until child=$(cat "/proc/$target/task/$target/children") && [ -n "$child" ] && grep -q '^State:	t' "/proc/${child% }/status"; do
		i=$((i + 1))
		[ $i -lt 2000 ] || {
			fail "$follow: no child that stands still"
			break
		}
		sleep 0.01
	done
	kill -9 "$engine"
	wait "$tracer"
	tracer=
	waits_for "$TMP/said" status "$follow: the child's end"
	is "$follow: how the child ended" "$(grep status "$TMP/said")" "status 0x700"
	tell fork
	waits_for "$TMP/said" 'status 0x700' "$follow: once more"
	exec 3>&-
	target_ends "$follow: the program"
done
finish
