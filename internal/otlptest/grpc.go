package otlptest

import (
	"context"
	"net/http"
	"sync/atomic"

	colmetricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip" // compressed requests
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
)

func (r *Receiver) newGRPC() *grpc.Server {
	opts := []grpc.ServerOption{grpc.MaxRecvMsgSize(r.config.MaxMessage), grpc.StatsHandler(encodings{})}
	if r.config.TLS != nil {
		opts = append(opts, grpc.Creds(credentials.NewTLS(r.config.TLS.server("h2"))))
	}
	s := grpc.NewServer(opts...)
	coltracepb.RegisterTraceServiceServer(s, &traceService{receiver: r})
	colmetricspb.RegisterMetricsServiceServer(s, &metricsService{receiver: r})
	return s
}

type traceService struct {
	coltracepb.UnimplementedTraceServiceServer
	receiver *Receiver
}

func (s *traceService) Export(ctx context.Context, in *coltracepb.ExportTraceServiceRequest) (*coltracepb.ExportTraceServiceResponse, error) {
	req := &Request{Size: proto.Size(in), Data: &tracepb.TracesData{ResourceSpans: in.GetResourceSpans()}}
	a, err := s.receiver.call(ctx, req)
	if err != nil {
		return nil, err
	}
	return response(a), nil
}

// call records a call and decides its answer, or the error that it is.
func (r *Receiver) call(ctx context.Context, req *Request) (Answer, error) {
	req.Protocol, req.Header = "grpc", make(http.Header)
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		for k, values := range md {
			for _, v := range values {
				req.Header.Add(k, v)
			}
		}
	}
	if e, ok := ctx.Value(encodingKey{}).(*atomic.Value); ok {
		req.Encoding, _ = e.Load().(string)
	}
	req.Path, _ = grpc.Method(ctx)
	if p, ok := peer.FromContext(ctx); ok {
		req.RemoteAddr = p.Addr.String()
	}
	a := r.receive(ctx, req)
	if a.Drop {
		r.conns.close(req.RemoteAddr)
		return a, status.Error(code(http.StatusServiceUnavailable), "connection closed")
	}
	if a.Status != 0 {
		st := status.New(code(a.Status), a.Message)
		if a.RetryAfter > 0 {
			st, _ = st.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(a.RetryAfter)})
		}
		return a, st.Err()
	}
	return a, nil
}

func response(a Answer) *coltracepb.ExportTraceServiceResponse {
	out := &coltracepb.ExportTraceServiceResponse{}
	if a.Rejected != 0 || a.Message != "" {
		out.PartialSuccess = &coltracepb.ExportTracePartialSuccess{RejectedSpans: a.Rejected, ErrorMessage: a.Message}
	}
	return out
}

// encodings notes the compression of a call, which gRPC shows to a stats handler alone.
type encodings struct{}

type encodingKey struct{}

func (encodings) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, encodingKey{}, new(atomic.Value))
}

func (encodings) HandleRPC(ctx context.Context, s stats.RPCStats) {
	if h, ok := s.(*stats.InHeader); ok {
		if e, ok := ctx.Value(encodingKey{}).(*atomic.Value); ok {
			e.Store(h.Compression)
		}
	}
}

func (encodings) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (encodings) HandleConn(context.Context, stats.ConnStats)                       {}
