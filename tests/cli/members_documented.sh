# Each member of what args[] of a provider are translated to is named in its manual page, or in one that the page sends to for it.
. tests/lib/lib.sh
need python3

cat >"$TMP/members.py" <<'PY'
import glob, re

members, args = {}, {}  # by structure; by provider
for path in glob.glob("dscripts/lib/*.d"):
    text = re.sub(r"/\*.*?\*/", "", open(path).read(), flags=re.S)
    for name, body in re.findall(r"^translator (\w+) <[^>]*> \{(.*?)^\};", text, flags=re.S | re.M):
        members.setdefault(name, set()).update(re.findall(r"^\s*(\w+) = ", body, flags=re.M))
    for name, body in re.findall(r"^provider (\w+) \{(.*?)^\};", text, flags=re.S | re.M):
        args.setdefault(name, set()).update(re.findall(r"(\w+_t) \*\w*[,)]", " ".join(re.findall(r":\s*\(([^;]*);", body))))


def words(page):
    # "pr_\%pid" of a page that may be cut there, "\-" in args[0]\->x
    return set(re.findall(r"\w+", open(page).read().replace("\\%", "").replace("\\-", "-")))


checked = 0
for provider, structures in sorted(args.items()):
    page = f"docs/dtrace-{provider}.7"
    named = words(page)
    also = [f"docs/dtrace-{q}.7" for q in re.findall(r"dtrace-(\w+) \(7\)", open(page).read().replace("\\-", "-"))]
    for s in sorted(structures & set(members)):
        places = [named] + [words(p) for p in also if s in words(p)]
        for m in sorted(members[s]):
            checked += 1
            if not any(m in place for place in places):
                print(f"{page} names no {s}.{m}")
print(f"{checked} members of {len(members)} structures of {len(args)} providers", end="")
PY
said=$(python3 "$TMP/members.py") || fail "members.py: $said"
is "members that no page names" "$(echo "$said" | sed '$d')" ""
[ "$(echo "$said" | awk 'END { print $1 }')" -ge 250 ] || fail "nothing was looked at: $said"
finish
