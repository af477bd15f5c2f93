package otlpvalue

import (
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		value any
		want  string
	}{
		{"text", `string_value:"text"`},
		{"", `string_value:""`},
		{"bad\xffbyte", `string_value:"bad�byte"`},
		{true, `bool_value:true`},
		{int64(-1), `int_value:-1`},
		{0.5, `double_value:0.5`},
		{[]string{"a", "\xff"}, `array_value:{values:{string_value:"a"} values:{string_value:"�"}}`},
		{[]string{}, `array_value:{}`},
	} {
		var want commonpb.AnyValue
		if err := prototext.Unmarshal([]byte(tt.want), &want); err != nil {
			t.Fatal(err)
		}
		if got := Of(tt.value); !proto.Equal(got, &want) {
			t.Errorf("%v is %v, want %s", tt.value, got, tt.want)
		}
	}
	if got := Of(int32(1)); got != nil {
		t.Errorf("a type that attributes do not have is %v", got)
	}
}
