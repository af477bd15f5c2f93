#!/usr/bin/env bash
# Builds what is handed out, into a folder: static programs for all platforms, man pages, completions, SBOM, checksums.
# The same sources and VERSION give the same bytes, wherever the sources are.
#
#   tools/dist.sh FOLDER          VERSION, GO, DIST_TARGETS (os/arch ...) and SOURCE_DATE_EPOCH from the environment
set -euo pipefail
dist=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.."

GO=${GO:-go}
VERSION=${VERSION:-$(git describe --tags --always --dirty 2>/dev/null || echo dev)}
TARGETS=${DIST_TARGETS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}
EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}

# Nothing of the machine's own settings gets into the programs.
unset GOFLAGS GOEXPERIMENT GOFIPS140
export CGO_ENABLED=0 GOAMD64=v1 GOARM64=v8.0 GOWORK=off LC_ALL=C

rm -rf "${dist:?}"/*
for target in $TARGETS; do
	name=cbc-otel-${target%/*}-${target#*/}
	if [ "${target%/*}" = windows ]; then name=$name.exe; fi
	echo "$name"
	GOOS=${target%/*} GOARCH=${target#*/} "$GO" build -trimpath -buildvcs=false -tags grpcnotrace \
		-ldflags "-s -w -buildid= -X main.version=$VERSION" -o "$dist/$name" ./cmd/cbc-otel
done

"$GO" run -C tools ./sbom "$VERSION" "$dist"/cbc-otel-* >"$dist/cbc-otel.cdx.json"

mkdir "$dist/man" "$dist/completions"
cp docs/man/*.1 "$dist/man/"
for shell in bash zsh fish powershell; do
	"$GO" run -trimpath -buildvcs=false ./cmd/cbc-otel completion "$shell" >"$dist/completions/cbc-otel.$shell"
done
cp LICENSE CHANGELOG.md "$dist/"

chmod 0644 "$dist"/man/* "$dist"/completions/* "$dist"/LICENSE "$dist"/CHANGELOG.md "$dist"/*.json
(cd "$dist" && find . -type f ! -name SHA256SUMS | sed 's|^\./||' | sort | xargs sha256sum >SHA256SUMS)
find "$dist" -mindepth 1 -exec touch -h -d "@$EPOCH" {} +
