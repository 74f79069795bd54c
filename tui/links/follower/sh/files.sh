# Files: those replaced as a whole, and looking at all of them.

add_file() { # RUN KIND NAME PATH: kind r(eplaced), a(ppended), t(ailed)
	files=$((files + 1))
	eval "f_run_$files=\$1 f_kind_$files=\$2 f_name_$files=\$3 f_path_$files=\$4"
	eval "f_sig_$files= f_inode_$files= f_offset_$files=0 f_misses_$files=0 f_trouble_$files="
	eval "f_head_$files= f_tail_$files= f_known_$files=\$r_known_$1 f_mtime_$files=0"
}

gone_file() { # INDEX
	eval "known=\$f_known_$1 misses=\$f_misses_$1 run=\$f_run_$1 name=\$f_name_$1 mtime=\$f_mtime_$1"
	[ -n "$known" ] || return 0
	misses=$((misses + 1))
	eval "f_misses_$1=$misses"
	[ $misses -ge 2 ] || [ "$mtime" = 0 ] || return 0
	eval "run_path=\$r_path_$run"
	frame g "$run_path" "$name"
	eval "f_known_$1= f_sig_$1= f_inode_$1= f_misses_$1=0 f_trouble_$1= f_mtime_$1=0"
}

# A FIFO, socket, device or directory in a file's place: told, and never opened.
odd_file() { # INDEX
	eval "trouble=\$f_trouble_$1 run=\$f_run_$1 name=\$f_name_$1"
	[ "$trouble" != odd ] || return 0
	eval "run_path=\$r_path_$run"
	frame T "$run_path" "$name" "not a regular file" ""
	eval "f_known_$1=1 f_sig_$1= f_misses_$1=0 f_trouble_$1=odd"
}

look_at() { # INDEX LINE
	i=$1
	eval "run=\$f_run_$i kind=\$f_kind_$i name=\$f_name_$i path=\$f_path_$i sig=\$f_sig_$i"
	take_stat "$2"
	eval "f_misses_$i=0 run_path=\$r_path_$run newest=\$r_newest_$run"
	eval "f_mtime_$i=\$mtime"
	[ "$name" = "$CONSOLE" ] || [ "$mtime" -le "$newest" ] || eval "r_newest_$run=\$mtime"
	if [ "$stat" = "$sig" ]; then is_fresh_status || return 0; fi
	if [ ! -r "$path" ]; then
		frame T "$run_path" "$name" EACCES "$stat"
		eval "f_sig_$i=\$stat f_known_$i=1 f_trouble_$i=1"
		return 0
	fi
	[ -f "$path" ] || return 0
	if [ "$kind" = r ]; then take_whole; else take_appended; fi
}

# Replaced twice within a second it may have its old size and even its old inode again: the clock
# of these tools cannot tell, so what was just written is read once more.
is_fresh_status() { [ "$name" = "$STATUS" ] && [ "$mtime" -ge $((now - 2)) ]; }

take_whole() {
	if [ "$size" -gt "$REPLACED_LIMIT" ]; then
		frame T "$run_path" "$name" EFBIG "$stat"
	else
		data=$(head -c "$REPLACED_LIMIT" "$path" 2>/dev/null && echo .) || return 0
		data=${data%.}
		eval "before=\$f_head_$i f_head_$i=\$data"
		[ "$stat$data" != "$sig$before" ] || return 0
		frame W "$run_path" "$name" "$stat" "$data"
		[ "$name" != "$STATUS" ] || take_status
	fi
	eval "f_sig_$i=\$stat f_known_$i=1 f_trouble_$i="
}

take_status() { # the pid stands early; looking far costs these shells the square of it
	data=$(printf '%.4096s' "$data")
	value=${data#*\"pid\":}
	value=${value#"${value%%[! ]*}"}
	value=${value#\"}
	case $data in *\"pid\":*) value=${value%%[!0-9]*} ;; *) value= ;; esac
	eval "r_pid_$run=\$value"
}

# Look at the files of busy runs, or of all, or at those of one name: one stat for all of them.
look() { # all|hot [NAME]
	set_of=$1 wanted=$2
	set --
	list=
	i=0
	while [ $i -lt $files ]; do
		i=$((i + 1))
		eval "path=\$f_path_$i run=\$f_run_$i name=\$f_name_$i"
		[ -z "$wanted" ] || [ "$name" = "$wanted" ] || continue
		eval "newest=\$r_newest_$run alive=\$r_alive_$run gone=\$r_gone_$run"
		[ -z "$gone" ] || continue
		[ "$set_of" = all ] || [ -n "$alive" ] || [ "$newest" -gt $((now - 900)) ] || continue
		if [ -f "$path" ]; then
			set -- "$@" "$path"
			list="$list $i"
		elif [ -e "$path" ]; then
			odd_file $i
		else
			gone_file $i
		fi
	done
	[ $# -gt 0 ] || return 0
	count=$#
	IFS=$nl
	set -f
	# shellcheck disable=SC2046
	set -- $(stats "$@")
	set +f
	IFS=$blanks
	[ $# = $count ] || return 0
	for line; do
		list=${list# }
		look_at "${list%% *}" "$line"
		list=${list#* }
	done
}
