# Files that grow: by offset, generation after generation, and on after a break.

# Everything is read through one descriptor, so that it is one file even if it is renamed now.
take_appended() {
	source=$path
	if [ -n "$have_fd" ]; then
		command exec 5<"$path" 2>/dev/null || return 0
		source=/proc/self/fd/5
		take_stat "$(stats "$source")"
	fi
	eval "was=\$f_inode_$i offset=\$f_offset_$i trouble=\$f_trouble_$i"
	sent=
	if [ -z "$was" ]; then
		resume || { pick_up; begin; }
	elif [ "$was" != "$device:$inode" ]; then
		drain
		begin
	elif [ "$size" -lt "$offset" ] || ! intact; then
		begin
	fi
	eval "f_inode_$i=\$device:\$inode f_known_$i=1 f_trouble_$i="
	while [ "$offset" -lt "$size" ]; do
		if [ "$kind" = t ] && [ $((size - offset)) -gt "$BACKLOG" ]; then begin; fi
		count=$((size - offset))
		[ $count -le 524288 ] || count=524288
		send_bytes "$source" $count
	done
	[ -n "$sent" ] && [ -z "$trouble" ] || send_bytes "$source" 0
	eval "f_sig_$i=\$stat f_offset_$i=\$offset"
	remember
	[ -z "$have_fd" ] || exec 5<&-
}

send_bytes() { # PATH COUNT
	printf '%s b %s %s %s %s %s\n' "@@$M" ${#run_path} ${#name} ${#offset} ${#stat} "$2"
	printf '%s' "$run_path$name$offset$stat"
	[ "$2" = 0 ] || bytes "$1" "$offset" "$2"
	echo
	offset=$((offset + $2))
	sent=1
}

# The first and the newest sent bytes, as far as a variable can hold them. Where the first ones
# are others than before, the file was cut while it was read: it begins anew at the next look.
remember() {
	before=64
	[ "$offset" -ge 64 ] || before=$offset
	tail=$(bytes "$source" $((offset - before)) $before && echo .)
	if same_start; then
		eval "f_head_$i=\$fresh f_tail_$i=\$tail f_from_$i=\$((offset - before)) f_before_$i=\$before"
	else
		eval "f_sig_$i= f_inode_$i="
	fi
}

same_start() { # of $path as $head says, which ends in a dot
	fresh=$(head -c 256 "$source" 2>/dev/null && echo .)
	case $fresh in "${head%.}"*) return 0 ;; esac
	return 1
}

intact() {
	eval "head=\$f_head_$i tail=\$f_tail_$i from=\$f_from_$i before=\$f_before_$i"
	[ "$tail" = "$(bytes "$source" "$from" "$before" && echo .)" ] && same_start
}

begin() {
	offset=0
	if [ "$kind" = t ] && [ "$size" -gt "$TAIL" ]; then
		offset=$((size - TAIL))
		line=$(bytes "$source" "$offset" "$TAIL" | head -n 1 | wc -c)
		[ $((line)) -ge "$TAIL" ] || offset=$((offset + line))
	fi
	head=$(head -c 256 "$source" 2>/dev/null && echo .)
	head_size=256
	[ "$size" -ge 256 ] || head_size=$size
	digest "$source" 0 $head_size
	[ -n "$digest" ] || head_size=0
	frame B "$run_path" "$name" "$offset" "$digest" "$head_size" "$stat"
	sent=1
}

# What was written to a file before it was renamed: found by its inode, while it lies near.
drain() {
	find_old
	[ -f "$old" ] && [ -r "$old" ] || return 0
	length=$(wc -c <"$old")
	count=$((length - offset))
	[ $count -gt 0 ] && [ $count -le "$BACKLOG" ] || return 0
	send_bytes "$old" $count
}

find_old() {
	old=
	folder=${path%/*}
	listing=$(ls -1i "$folder" 2>/dev/null)
	IFS=$nl
	set -f
	for line in $listing; do
		line=${line#"${line%%[! ]*}"}
		[ "${line%% *}" != "${was#*:}" ] || old=$folder/${line#* }
	done
	set +f
	IFS=$blanks
}

resume() {
	key=0 token=
	while [ $key -lt "$TOKENS" ]; do
		key=$((key + 1))
		eval "token_path=\$t_path_$key token_name=\$t_name_$key"
		[ "$token_path" = "$run_path" ] && [ "$token_name" = "$name" ] || continue
		eval "token=\$t_token_$key t_name_$key="
		try_token
		return
	done
	return 1
}

try_token() {
	# shellcheck disable=SC2086
	set -- $token
	[ "$2:$3" = "$device:$inode" ] && [ "$size" -ge "$1" ] && [ -n "$have_sha256sum" ] || return 1
	digest "$source" 0 "$5"
	[ "$digest" = "$4" ] || return 1
	digest "$source" $(($1 - $7)) "$7"
	[ "$digest" = "$6" ] || return 1
	offset=$1
	head=$(head -c "$5" "$source" 2>/dev/null && echo .)
}

# What was written to the token's file before it was renamed while nobody watched.
pick_up() {
	[ -n "$token" ] || return 0
	# shellcheck disable=SC2086
	set -- $token
	[ "$2:$3" != "$device:$inode" ] || return 0
	was=$2:$3 offset=$1
	find_old
	[ -n "$old" ] || return 0
	digest "$old" 0 "$5"
	[ "$digest" = "$4" ] || return 0
	digest "$old" $(($1 - $7)) "$7"
	[ "$digest" != "$6" ] || drain
}
