package doctor

import (
	"context"
	"fmt"
	"net"
	"net/url"

	"cbc-otel/exporter"
)

// otlp follows a span to the receiver, step by step, and stops at the first that fails: what comes after it would
// only say the same in other words.
func (d *doctor) otlp(ctx context.Context) {
	o := d.options("otlp")
	target, _, err := o.OTLP.Resolve(o.Getenv)
	if err == nil {
		d.ok("endpoint", fmt.Sprintf("%s over %s (%s)", target.Endpoint(), target.Protocol, d.from("otlp.endpoint")))
	}
	if !d.check("otlp", o) {
		return
	}
	far := &farEnd{target: target}
	if target.Protocol == exporter.ProtocolGRPC && target.URL.Port() == "4318" {
		d.warn("endpoint", "4318 is usually a port of http/protobuf, the protocol is grpc", "set "+d.key("otlp.protocol", "--protocol")+" to http/protobuf if it is")
	}
	if d.proxy(far) && d.reach(ctx, far) && d.secure(ctx, far) {
		d.send(ctx, o, far)
	}
}

// farEnd is what the first connection goes to, the receiver or a proxy in front of it.
type farEnd struct {
	target  exporter.Target
	proxy   *url.URL // nil: none
	address string   // host:port
}

// host is the receiver's name, as certificates have it.
func (f *farEnd) host() string { return f.target.URL.Hostname() }

// dial connects within the time of ctx.
func (f *farEnd) dial(ctx context.Context) (net.Conn, error) {
	var dialer net.Dialer
	return dialer.DialContext(ctx, "tcp", f.address)
}
