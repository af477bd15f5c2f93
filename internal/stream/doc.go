// Package stream turns the bytes of an agent CLI's stdout into workflow events: bytes to lines
// ([Splitter]), lines to events ([Decoder]). It is the only place that knows the JSON names of the
// wire format.
//
// Nothing in a line can break it: the order of keys, unknown and repeated fields, entries of a shape
// we do not know, lines of any length, bytes that are not UTF-8 and text that is not JSON.
package stream
