#!/usr/bin/env bash
# Two builds from two places give the same checksums. DIST_TARGETS limits it to some platforms.
set -euo pipefail
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export VERSION=v0.0.0-test SOURCE_DATE_EPOCH=1700000000

tools/dist.sh "$tmp/one"
mkdir "$tmp/elsewhere"
git ls-files -z --cached --others --exclude-standard | tar -c --null -T - | tar -x -C "$tmp/elsewhere"
touch -d '2001-01-01' "$tmp/elsewhere/go.mod"
(umask 077 && "$tmp/elsewhere/tools/dist.sh" "$tmp/two")

diff "$tmp/one/SHA256SUMS" "$tmp/two/SHA256SUMS"
grep -q '"bomFormat": "CycloneDX"' "$tmp/one/cbc-otel.cdx.json"
grep -q 'pkg:golang/google.golang.org/grpc@v' "$tmp/one/cbc-otel.cdx.json"
(cd "$tmp/two" && sha256sum --check --quiet SHA256SUMS)
[ "$(stat -c %Y "$tmp/two/SHA256SUMS")" = 1700000000 ]
for program in "$tmp"/two/cbc-otel-linux-*; do
	! file "$program" | grep -q 'dynamically linked'
done
host="$tmp/two/cbc-otel-$(go env GOOS)-$(go env GOARCH)"
if [ -x "$host" ]; then
	[ "$("$host" version)" = 'cbc-otel v0.0.0-test' ]
	! grep -aq "$PWD" "$host"
fi
echo "reproducible: $(wc -l <"$tmp/one/SHA256SUMS") files"
