package doctor

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"

	"cbc-otel/exporter"
)

// proxy finds out what the exporter connects to. Like the exporter it goes by the environment of the process, which
// net/http reads once. gRPC takes the proxy for https whatever the scheme is.
func (d *doctor) proxy(far *farEnd) bool {
	t := far.target
	far.address = hostPort(t.URL)
	asked := *t.URL
	if t.Protocol == exporter.ProtocolGRPC {
		asked.Scheme = "https"
	}
	variable := d.proxyVariable(asked.Scheme)
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: &asked})
	switch {
	case err != nil:
		d.fail("proxy", variable+" is not usable as the address of a proxy", "correct or unset it")
		return false
	case proxy != nil:
		far.proxy, far.address = proxy, hostPort(proxy)
		shown := url.URL{Scheme: proxy.Scheme, Host: proxy.Host} // without a password
		d.line("ok", "proxy", variable+" is in effect: the way to "+t.URL.Host+" is through "+shown.String(), "add "+t.URL.Hostname()+" to NO_PROXY if it should not be")
	case d.getenv(variable) != "":
		d.ok("proxy", variable+" is set but not used for "+t.URL.Hostname()+" (NO_PROXY, or this machine itself)")
	}
	return true
}

// proxyVariable is the variable that counts for a scheme.
func (d *doctor) proxyVariable(scheme string) string {
	upper := strings.ToUpper(scheme) + "_PROXY"
	if lower := strings.ToLower(upper); d.getenv(upper) == "" && d.getenv(lower) != "" {
		return lower
	}
	return upper
}

// hostPort adds the port a scheme stands for.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// reach resolves the name and connects.
func (d *doctor) reach(ctx context.Context, far *farEnd) bool {
	correct := "correct " + d.key("otlp.endpoint", "--endpoint")
	who := "the receiver"
	if far.proxy != nil {
		correct, who = "correct the proxy variable", "the proxy"
	}
	if !d.resolve(ctx, far, correct) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	conn, err := far.dial(ctx)
	switch {
	case err == nil:
		_ = conn.Close()
		d.ok("connect", far.address+" takes connections")
		return true
	case errors.Is(err, syscall.ECONNREFUSED):
		d.fail("connect", "nothing listens on "+far.address+" (connection refused)", "start "+who+", or "+correct)
	case timedOut(ctx, err):
		d.fail("connect", "no answer from "+far.address+" within "+d.timeout.String(), "look for a firewall in between, or "+correct)
	default:
		d.fail("connect", far.address+": "+cause(err), correct)
	}
	return false
}

func (d *doctor) resolve(ctx context.Context, far *farEnd, correct string) bool {
	host, _, err := net.SplitHostPort(far.address)
	if _, isIP := netip.ParseAddr(host); err != nil || isIP == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupHost(ctx, host)
	var notFound *net.DNSError
	switch {
	case err == nil:
		d.ok("name", host+" is "+strings.Join(addresses, ", "))
		return true
	case timedOut(ctx, err):
		d.fail("name", "no answer about "+host+" from DNS within "+d.timeout.String(), "look at the name servers of this machine, or "+correct)
	case errors.As(err, &notFound) && notFound.IsNotFound:
		d.fail("name", "there is no host "+host, correct+", or the name servers of this machine")
	default:
		d.fail("name", host+": "+cause(err), correct+", or the name servers of this machine")
	}
	return false
}

func timedOut(ctx context.Context, err error) bool {
	var network net.Error
	return ctx.Err() != nil || errors.As(err, &network) && network.Timeout()
}

// cause is the innermost error: the outer ones repeat addresses.
func cause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return foreign(err.Error())
		}
		err = inner
	}
}
