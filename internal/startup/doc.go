// Package startup makes page faults fewer where they delay the command: at the start of the process, for which
// importing it is enough, and when the first workflow has the heap grow ([Reserve]).
//
// Most of what starting costs is page faults: the package initialisers of gRPC and protobuf run through most of the
// program's text, touch a few hundred fresh pages of heap and unwind a stack that grows in small steps. That is
// next to nothing on bare metal, and a third of the time in virtual machines where a fault is an exit to the
// hypervisor, as CI runners often are.
//
// Packages are initialised in the order of their import paths once their imports are (Go specification, "Package
// initialization"), so this one, which imports next to nothing, comes before all that is costly.
package startup
