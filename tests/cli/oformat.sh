# -x oformat: records as JSON, XML or HTML: a list of probes, each with the list of what its statements
# recorded; what no text can hold is escaped.
. tests/lib/lib.sh
need python3

# same FILE: with times, CPUs and addresses made equal
same() {
	sed 's/"timestamp":"[0-9]*","cpu":[0-9]*/"timestamp":"T","cpu":0/
		s/<timestamp>[0-9]*<\/timestamp><cpu>[0-9]*/<timestamp>T<\/timestamp><cpu>0/
		s/0x[0-9a-f]*/0xN/g' "$1"
}

program='BEGIN { trace(-1); trace(18446744073709551615u); trace("a\"\\\t<&>\001"); printf("%d of %s\n", 3, "x");
		@a["k", -2] = sum(7); @b = lquantize(3, 0, 4, 2); printa(@a); }
	BEGIN { x = 1; } BEGIN { @c[1] = count(); exit(0); }'
d -x oformat=json -n "$program"
ends 0 json
is json "$(same "$TMP/out")" '{"dtrace":{"probes":[
{"timestamp":"T","cpu":0,"id":1,"provider":"dtrace","module":"","function":"","name":"BEGIN","output":[{"value":-1},{"value":18446744073709551615},{"value":"a\"\\\t<&>\u0001"},{"message":"3 of x\n","values":[3,"x"]},{"aggregation-data":[{"keys":["k",-2],"sum":7}],"aggregation-name":"a"}]}
,{"timestamp":"T","cpu":0,"id":1,"provider":"dtrace","module":"","function":"","name":"BEGIN","output":[]}
,{"timestamp":"T","cpu":0,"id":2,"provider":"dtrace","module":"","function":"","name":"END","output":[{"aggregation-data":[{"keys":[],"buckets":[{"value":0,"count":0},{"value":2,"count":1},{"value":">= 4","count":0}]}],"aggregation-name":"b"},{"aggregation-data":[{"keys":[1],"count":1}],"aggregation-name":"c"}]}
]}}'
d -x oformat=xml -qn "$program"
ends 0 xml
is xml "$(same "$TMP/out")" '<dtrace>
<probes><timestamp>T</timestamp><cpu>0</cpu><id>1</id><provider>dtrace</provider><module></module><function></function><name>BEGIN</name><output><value>-1</value></output><output><value>18446744073709551615</value></output><output><value>a&quot;\	&lt;&amp;&gt;?</value></output><output><message>3 of x
</message><values>3</values><values>x</values></output><output><aggregation-data><keys>k</keys><keys>-2</keys><sum>7</sum></aggregation-data><aggregation-name>a</aggregation-name></output></probes>
<probes><timestamp>T</timestamp><cpu>0</cpu><id>1</id><provider>dtrace</provider><module></module><function></function><name>BEGIN</name></probes>
<probes><timestamp>T</timestamp><cpu>0</cpu><id>2</id><provider>dtrace</provider><module></module><function></function><name>END</name><output><aggregation-data><buckets><value>0</value><count>0</count></buckets><buckets><value>2</value><count>1</count></buckets><buckets><value>&gt;= 4</value><count>0</count></buckets></aggregation-data><aggregation-name>b</aggregation-name></output><output><aggregation-data><keys>1</keys><count>1</count></aggregation-data><aggregation-name>c</aggregation-name></output></probes>
</dtrace>'
d -x oformat=html -qn 'BEGIN { trace("<b>"); exit(0); }'
ends 0 html
like html "$out" '*<div class="output"><div class="value">&lt;b&gt;</div></div>*'

# Always well-formed: nothing recorded, bytes that are no text, stacks, an interrupted run.
d -x oformat=json -qn 'END { }' -c true
is "one empty record" "$(python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(len(d["dtrace"]["probes"]), d["dtrace"]["probes"][0]["name"])' "$TMP/out")" "1 END"
d -x oformat=json -qn 'BEGIN /0/ { trace(1); } tick-10ms { exit(0); }'
python3 -m json.tool <"$TMP/out" >/dev/null || fail "nothing recorded: $out"
d -x oformat=json -qn 'BEGIN { trace("\377\300\200ok\343\201\202"); exit(0); }'
like "bytes that are no text" "$(python3 -m json.tool <"$TMP/out")" '*"value": "\\ufffd\\ufffd\\ufffdok\\u3042"*'
d -x oformat=json -qn 'pid$target:a.out:leaf:entry { ustack(2); usym(ucaller); @[ustack(1)] = count(); exit(0); }' -c "$TARGETS/t 1"
is "stacks" "$(python3 -c 'import json, sys
p = json.load(open(sys.argv[1]))["dtrace"]["probes"]
f = p[0]["output"][0]["ustack-frames"]
print(len(f), f[0]["module"], f[0]["name"], f[0]["offset"], p[0]["output"][1]["sym"].split("`")[0])
print(p[1]["output"][0]["aggregation-data"][0]["keys"][0].strip())' "$TMP/out")" "2 t leaf 0 t
t\`leaf"
d -x oformat=json -qn 'BEGIN { x = speculation(); y = speculation(); exit(0); }'
is "drops" "$(python3 -c 'import json, sys
for p in json.load(open(sys.argv[1]))["dtrace"]["probes"]:
	if p["name"] == "drop": print(p["output"][0]["message"])' "$TMP/out")" "1 failed speculation (no speculative buffer available)"
is "drops, on stderr" "$err" "dtrace: 1 failed speculation (no speculative buffer available)"
d -x oformat=jsonl -qn 'BEGIN { trace(1); } pid$target:a.out:leaf:entry
	pid$target:a.out:leaf:return { if (arg1 > 0) { trace(arg0); } else { printf("%d", arg1); } }
	pid$target:a.out:main:return { @ = count(); } END { printf("%s", execname); }' -c "$TARGETS/t 3 1 quiet"
is "lines of JSON: of which programs, with how many values" "$(python3 -c 'import json, sys
for l in open(sys.argv[1]):
	r = json.loads(l)
	if r["type"] == "record": print(r["execname"], len(r["output"]))' "$TMP/out" | sort | uniq -c | awk '{ print $1, $2, $3 }')" "2 dtrace 1
4 t 0
4 t 1" # a call of each round, and one by tail()
d -x oformat=csv -qn BEGIN
ends 1 "another format"
is "another format" "$err" "dtrace: failed to set -x oformat: Invalid value for specified option: 'csv'; allowed: json, xml, html, jsonl"
finish
