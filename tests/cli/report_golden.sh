# Reports of a run whose lines of JSON are given, byte for byte: what other readers have accepted (go tool pprof -raw, speedscope's schema, promtool)
# stays what it is where they are not there.
. tests/lib/lib.sh

cat >"$TMP/in.jsonl" <<'END'
{"type":"run","run":"00000000000000aa","v":1,"host":"h","wall_ns":1700000000000000000}
{"type":"agg","run":"00000000000000aa","name":"calls","func":"count","params":[],"keys":[{"name":"execname","kind":"string"},{"name":"ustack","kind":"ustack"}],"unit":"count","id":1,"normal":1,"t":1,"seq":1,"final":true,"cleared":false,"truncated":false,"rows":2}
{"type":"row","run":"00000000000000aa","agg":"calls","seq":1,"k":["t",{"s":[["t","leaf",4],["t","main",16]],"p":1}],"raw":200}
{"type":"row","run":"00000000000000aa","agg":"calls","seq":1,"k":["t",{"s":[["libx.so","f<a;b>",0],["t","main",32]],"p":1}],"raw":3}
{"type":"agg","run":"00000000000000aa","name":"lat","func":"quantize","params":[],"keys":[{"name":"arg0","kind":"int","size":4,"signed":true}],"unit":"ns","id":2,"normal":1,"t":1,"seq":1,"final":true,"cleared":false,"truncated":false,"rows":1}
{"type":"row","run":"00000000000000aa","agg":"lat","seq":1,"k":[-7],"b":{"0":1,"1024":2},"under":0,"over":0}
{"type":"agg","run":"00000000000000aa","name":"size","func":"avg","params":[],"keys":[],"unit":"bytes","id":3,"normal":1,"t":1,"seq":1,"final":true,"cleared":false,"truncated":false,"rows":1}
{"type":"row","run":"00000000000000aa","agg":"size","seq":1,"k":[],"n":3,"raw":10}
{"type":"end","run":"00000000000000aa","rows":4,"drops":0}
END

# golden FORM: what is made of it is standard input
golden() {
	d --merge "$TMP/in.jsonl" -x report="$TMP/o.$1"
	ends 0 "$1"
	cat >"$TMP/want"
	case $1 in
	pb.gz) gzip -dc "$TMP/o.$1" | od -An -v -tx1 | tr -d ' \n' | fold -w 120 ;;
	prom) grep -E 'calls|lat|size' "$TMP/o.$1" ;;
	csv) tr -d '\r' <"$TMP/o.$1" ;;
	*) cat "$TMP/o.$1" ;;
	esac >"$TMP/got"
	[ -n "$(tail -c 1 "$TMP/got")" ] && echo >>"$TMP/got"
	cmp -s "$TMP/got" "$TMP/want" || fail "$1: $(diff "$TMP/want" "$TMP/got")"
}
golden folded <<'END'
t;main;f<a:b> 3
t;main;leaf 200
END
golden csv <<'END'
aggregation,function,unit,from,to,value,count,execname,ustack,arg0
calls,count,count,,,3,,t,t`main+0x20;libx.so`f<a;b>,
calls,count,count,,,200,,t,t`main+0x10;t`leaf+0x4,
lat,quantize,ns,0,0,1,,,,-7
lat,quantize,ns,1024,2047,2,,,,-7
size,avg,bytes,,,3,3,,,
END
golden tsv <<'END'
aggregation	function	unit	from	to	value	count	execname	ustack	arg0
calls	count	count			3		t	t`main+0x20;libx.so`f<a;b>	
calls	count	count			200		t	t`main+0x10;t`leaf+0x4	
lat	quantize	ns	0	0	1				-7
lat	quantize	ns	1024	2047	2				-7
size	avg	bytes			3	3			
END
golden speedscope.json <<'END'
{"$schema":"https://www.speedscope.app/file-format-schema.json",
"exporter":"dtrace","profiles":[{"type":"sampled","name":"calls","unit":"none","startValue":0,"endValue":203,
"samples":[[0,1,2],
[0,1,3]],
"weights":[3,200]}],
"shared":{"frames":[{"name":"t"},
{"name":"main","file":"t"},
{"name":"f\u003ca;b>","file":"libx.so"},
{"name":"leaf","file":"t"}]}}
END
golden pb.gz <<'END'
0a0408021003488080a8b1e39fe7cb17120d0a0201021201031a0408071001120e0a0203021202c8011a04080710011a060801280138011a06080228
0538012208080110022202080122080802100122020802220808031001220208032a060801100418042a060802100618062a06080310081808320032
0174320563616c6c733205636f756e743206663c613b623e32076c6962782e736f32046d61696e3208657865636e616d6532046c656166
END
golden prom <<'END'
# TYPE dtrace_calls_total counter
# HELP dtrace_calls_total @calls
dtrace_calls_total{execname="t"} 203
# TYPE dtrace_lat_seconds_bucket untyped
# HELP dtrace_lat_seconds_bucket @lat
dtrace_lat_seconds_bucket{arg0="-7",le="0"} 1
dtrace_lat_seconds_bucket{arg0="-7",le="0.000000001"} 1
dtrace_lat_seconds_bucket{arg0="-7",le="0.000000003"} 1
dtrace_lat_seconds_bucket{arg0="-7",le="0.000000007"} 1
dtrace_lat_seconds_bucket{arg0="-7",le="0.000000015"} 1
dtrace_lat_seconds_bucket{arg0="-7",le="0.000000031"} 1
dtrace_lat_seconds_bucket{arg0="-7",le="0.000000063"} 1
dtrace_lat_seconds_bucket{arg0="-7",le="0.000000127"} 1
dtrace_lat_seconds_bucket{arg0="-7",le="0.000000255"} 1
dtrace_lat_seconds_bucket{arg0="-7",le="0.000000511"} 1
dtrace_lat_seconds_bucket{arg0="-7",le="0.000001023"} 1
dtrace_lat_seconds_bucket{arg0="-7",le="0.000002047"} 3
dtrace_lat_seconds_bucket{arg0="-7",le="+Inf"} 3
# TYPE dtrace_size_bytes summary
# HELP dtrace_size_bytes @size
dtrace_size_bytes_count 3
dtrace_size_bytes_sum 10
dtrace_metric_rows{aggregation="calls"} 1
dtrace_metric_rows{aggregation="lat"} 1
dtrace_metric_rows{aggregation="size"} 1
dtrace_resets_total{aggregation="calls"} 0
dtrace_resets_total{aggregation="lat"} 0
dtrace_resets_total{aggregation="size"} 0
dtrace_drops_total{kind="speculations"} 0
dtrace_drops_total{kind="speculations unavailable"} 0
END
golden svg <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1200 118" width="1200" height="118" role="img" font-family="monospace" font-size="11">
<title>Flame graph of @calls</title>
<rect width="1200" height="118" fill="#fffdf7"/>
<text x="10" y="24" font-size="14">@calls: 203 hits in 2 stacks</text>
<g><title>all: 203 hits (100.00%)</title><rect x="10.00" y="91" width="1179.70" height="16" rx="1" fill="rgb(212,108,62)"/><text x="13.0" y="103">all</text></g>
<g><title>t: 203 hits (100.00%)</title><rect x="10.00" y="74" width="1179.70" height="16" rx="1" fill="rgb(233,126,56)"/><text x="13.0" y="86">t</text></g>
<g><title>main: 203 hits (100.00%)</title><rect x="10.00" y="57" width="1179.70" height="16" rx="1" fill="rgb(219,152,60)"/><text x="13.0" y="69">main</text></g>
<g><title>f&lt;a:b&gt;: 3 hits (1.48%)</title><rect x="10.00" y="40" width="17.14" height="16" rx="1" fill="rgb(215,130,57)"/></g>
<g><title>leaf: 200 hits (98.52%)</title><rect x="27.44" y="40" width="1162.26" height="16" rx="1" fill="rgb(242,149,55)"/><text x="30.4" y="52">leaf</text></g>
</svg>
END
is "csv: ends of lines" "$(grep -c "$(printf '\r')\$" "$TMP/o.csv")" "$(wc -l <"$TMP/o.csv")"
finish
