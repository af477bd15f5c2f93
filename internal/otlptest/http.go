package otlptest

import (
	"compress/gzip"
	"io"
	"log"
	"mime"
	"net/http"
	"strconv"
	"time"

	colmetricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"cbc-otel/exporter/otlpjson"
)

const (
	typeProtobuf = "application/x-protobuf"
	typeJSON     = "application/json"
)

func (r *Receiver) newHTTP() *http.Server {
	return &http.Server{
		Handler:           http.HandlerFunc(r.serve),
		ErrorLog:          log.New(io.Discard, "", 0),
		ReadHeaderTimeout: time.Minute,
	}
}

func (r *Receiver) serve(w http.ResponseWriter, hr *http.Request) {
	contentType, _, _ := mime.ParseMediaType(hr.Header.Get("Content-Type"))
	switch {
	case hr.Method != http.MethodPost:
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
		return
	case contentType != typeProtobuf && contentType != typeJSON:
		http.Error(w, "content type "+contentType, http.StatusUnsupportedMediaType)
		return
	}
	var body io.Reader = hr.Body
	if hr.Header.Get("Content-Encoding") == "gzip" {
		var err error
		if body, err = gzip.NewReader(hr.Body); err != nil {
			http.Error(w, "gzip: "+err.Error(), http.StatusBadRequest)
			return
		}
	}
	message, err := io.ReadAll(io.LimitReader(body, int64(r.config.MaxMessage)+1))
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	case len(message) > r.config.MaxMessage:
		http.Error(w, "message too large", http.StatusRequestEntityTooLarge)
		return
	}

	req := &Request{Protocol: "http/protobuf", Path: hr.URL.Path, Query: hr.URL.RawQuery, Header: hr.Header, Encoding: hr.Header.Get("Content-Encoding"),
		Size: len(message), RemoteAddr: hr.RemoteAddr}
	isMetrics := req.Path == MetricsPath && r.config.Path != MetricsPath
	switch {
	case isMetrics:
		var in colmetricspb.ExportMetricsServiceRequest
		err = proto.Unmarshal(message, &in)
		req.Metrics = &metricspb.MetricsData{ResourceMetrics: in.GetResourceMetrics()}
	case contentType == typeJSON:
		req.Protocol = "http/json"
		req.Data, err = otlpjson.Unmarshal(message)
	default:
		var in coltracepb.ExportTraceServiceRequest
		err = proto.Unmarshal(message, &in)
		req.Data = &tracepb.TracesData{ResourceSpans: in.GetResourceSpans()}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a := r.receive(hr.Context(), req)
	switch {
	case a.Drop:
		r.conns.close(hr.RemoteAddr)
		panic(http.ErrAbortHandler)
	case a.Status != 0:
		if a.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(a.RetryAfter.Seconds())))
		}
		http.Error(w, a.Message, a.Status)
		return
	}
	w.Header().Set("Content-Type", contentType)
	out, _ := proto.Marshal(response(a))
	switch {
	case isMetrics:
		out, _ = proto.Marshal(metricsResponse(a))
	case contentType == typeJSON:
		out, _ = protojson.Marshal(response(a))
	}
	_, _ = w.Write(out)
}
