module cbc-otel/test/markdown

go 1.26.0

require (
	cbc-otel v0.0.0
	github.com/yuin/goldmark v1.8.7
	golang.org/x/net v0.60.0
)

require (
	github.com/rivo/uniseg v0.4.7 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace cbc-otel => ../..
