#!/usr/bin/env bash
# Runs the tests once per deliberate fault. Each fault sits behind a build tag mutant_*; a fault under which
# the tests named for it still pass is a hole in the tests, and fails this script.
#
# One line a fault in test/mutants.txt: tag, packages, and a -run pattern that must fail.
set -euo pipefail
cd "$(dirname "$0")/.."

survived=0
caught=0
while read -r tag packages pattern; do
	case "$tag" in '' | '#'*) continue ;; esac
	log="$(mktemp)"
	# Compiling must succeed, else the fault is "caught" by a typing error.
	# shellcheck disable=SC2086
	CGO_ENABLED=0 go vet -tags "$tag" ${packages//,/ } >"$log" 2>&1 || { echo "does not build: $tag"; cat "$log"; exit 1; }
	# shellcheck disable=SC2086
	if CGO_ENABLED=0 go test -count=1 -failfast -timeout 5m -tags "$tag" -run "$pattern" ${packages//,/ } >"$log" 2>&1; then
		echo "SURVIVED  $tag"
		survived=$((survived + 1))
	else
		echo "caught    $tag"
		caught=$((caught + 1))
	fi
	rm -f "$log"
done <test/mutants.txt

# A tag in the code that the list does not name would never be run.
for tag in $(git grep -hoE '//go:build !?mutant_[a-z0-9_]+' -- '*.go' | grep -oE 'mutant_[a-z0-9_]+' | sort -u); do
	grep -qE "^$tag " test/mutants.txt || { echo "not listed: $tag"; survived=$((survived + 1)); }
done
echo "$caught caught, $survived survived"
test "$survived" -eq 0 && test "$caught" -gt 0
