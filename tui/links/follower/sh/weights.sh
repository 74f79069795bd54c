# The weights of a run.

weights() { # all|hot
	k=0
	while [ $k -lt $runs ]; do
		k=$((k + 1))
		eval "path=\$r_path_$k newest=\$r_newest_$k alive=\$r_alive_$k gone=\$r_gone_$k"
		[ -z "$gone" ] || continue
		[ "$1" = all ] || [ -n "$alive" ] || [ "$newest" -gt $((now - 900)) ] || continue
		list_weights "$path/$WEIGHTS"
	done
}

list_weights() { # DIRECTORY
	set -- "$1"/*"$SUFFIX"
	for one; do
		shift
		[ ! -f "$one" ] || set -- "$@" "$one"
	done
	lines=
	[ $# = 0 ] || lines=$(stats "$@")
	eval "known=\$r_weights_$k"
	[ "$lines" != "$known" ] || return 0
	IFS=$nl
	count=0
	for line in $lines; do count=$((count + 1)); done
	IFS=$blanks
	[ $# = $count ] || return 0
	rows=
	fresh=
	IFS=$nl
	set -f
	for line in $lines; do
		IFS=$blanks
		sig=
		take_stat "$line"
		weight_state "$1"
		rows="$rows frame_row_$#"
		eval "frame_row_$#=\"\$size \$mtime \$inode \$complete \${1##*/}\""
		shift
	done
	set +f
	IFS=$blanks
	for row in $rows; do eval "set -- \"\$@\" \"\$$row\""; done
	frame C "$path" "$@"
	[ -n "$fresh" ] || eval "r_weights_$k=\$lines"
}

# A zip ends with its end record; a file that was just written is not looked into.
weight_state() { # PATH
	complete=-
	if [ "$mtime" -gt $((now - 2)) ]; then
		fresh=1
	elif [ "$(head -c 4 "$1" 2>/dev/null)" = "$zip_start" ]; then
		complete=0
		[ "$(tail -c 22 "$1" | head -c 4)" != "$zip_end" ] || complete=1
	elif [ "$size" -lt 4 ] || [ "$(head -c 1 "$1" 2>/dev/null)" != "$pickle" ]; then
		complete=0
	fi
}
