#!/usr/bin/env bash
# Runs every fuzz target of the module for TIME each: test/fuzz.sh [TIME]
set -euo pipefail
cd "$(dirname "$0")/.."
time="${1:-20s}"

for package in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		echo "== $package $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$package"
	done
done
