#!/bin/sh
# The steps of a pipeline, as a script: the workflows call it, and it runs on any machine.
#
#   fencepost.sh install           puts fencepost into $FENCEPOST_BIN (default: ./.fencepost-bin)
#   fencepost.sh test PATH...      programs against the answers in their comments, with all reports
#   fencepost.sh shard I N FILE    part I of N of a long check, I from 0, as I.json
#   fencepost.sh merge N           the answer of all parts
#
# install takes the first of these that is set:
#   FENCEPOST_URL       a binary to download; FENCEPOST_SHA256 is its checksum, and must be set for http and https
#   FENCEPOST_CHECKOUT  a directory with the sources, which Go builds
# Options of fencepost, such as --timeout 5m, are in FENCEPOST_OPTIONS.
set -eu

bin=${FENCEPOST_BIN:-$PWD/.fencepost-bin}
PATH=$bin:$PATH

fail() {
	echo "fencepost.sh: $1" >&2
	exit 3
}

install() {
	mkdir -p "$bin"
	if [ -n "${FENCEPOST_URL:-}" ]; then
		case $FENCEPOST_URL in
		http*) [ -n "${FENCEPOST_SHA256:-}" ] || fail "FENCEPOST_SHA256 must be set: what is downloaded is run" ;;
		esac
		curl --fail --silent --show-error --location --output "$bin/fencepost.new" "$FENCEPOST_URL"
		if [ -n "${FENCEPOST_SHA256:-}" ]; then
			echo "$FENCEPOST_SHA256  $bin/fencepost.new" | sha256sum --check --quiet || fail "the checksum of $FENCEPOST_URL is another one"
		fi
		chmod +x "$bin/fencepost.new"
		mv "$bin/fencepost.new" "$bin/fencepost"
	elif [ -n "${FENCEPOST_CHECKOUT:-}" ]; then
		(cd "$FENCEPOST_CHECKOUT" && CGO_ENABLED=0 go build -o "$bin/fencepost" ./cmd/fencepost)
	else
		fail "set FENCEPOST_URL or FENCEPOST_CHECKOUT"
	fi
	if [ -n "${GITHUB_PATH:-}" ]; then echo "$bin" >> "$GITHUB_PATH"; fi
	"$bin/fencepost" version
}

# summary shows a file of Markdown beside the log.
summary() {
	if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$1" ]; then cat "$1" >> "$GITHUB_STEP_SUMMARY"; fi
}

command=${1:-}
[ $# -eq 0 ] || shift
code=0
# shellcheck disable=SC2086 # options are words
case $command in
install) install ;;
test)
	[ $# -gt 0 ] || fail "usage: fencepost.sh test PATH..."
	github=
	if [ -n "${GITHUB_ACTIONS:-}" ]; then github=--github; fi
	fencepost test "$@" ${FENCEPOST_OPTIONS:-} $github --junit fencepost.xml --sarif fencepost.sarif --html fencepost.html --summary fencepost.md || code=$?
	summary fencepost.md
	exit $code
	;;
shard)
	[ $# -eq 3 ] || fail "usage: fencepost.sh shard I N FILE"
	fencepost check "$3" ${FENCEPOST_OPTIONS:-} --shard "$1/$2" --json > "$1.json"
	;;
merge)
	[ $# -eq 1 ] || fail "usage: fencepost.sh merge N"
	list=
	i=0
	while [ $i -lt "$1" ]; do
		list="$list $i.json"
		i=$((i + 1))
	done
	fencepost report --merge $list --sarif fencepost.sarif --html fencepost.html --summary fencepost.md || code=$?
	summary fencepost.md
	exit $code
	;;
*) fail "usage: fencepost.sh install | test PATH... | shard I N FILE | merge N" ;;
esac
