package native

import "testing"

// What a run of 150 agents costs: 158 spans and 312 records of the log, received and joined.
func BenchmarkMerge(b *testing.B) {
	r := load(b, "2.1.332-150-agents")
	all := r.bodies
	for i := range all {
		all[i].Body = all[i].protobuf(b)
	}
	b.ReportAllocs()
	for b.Loop() {
		s := NewStore(StoreOptions{})
		for _, one := range all {
			p, err := decode(one.Signal, asProtobuf, "", one.Body)
			if err != nil {
				b.Fatal(err)
			}
			s.add(p)
		}
		for _, tree := range r.trees {
			s.Merge(tree)
		}
		s.Apart(true)
	}
}
