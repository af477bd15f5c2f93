// Package cicontext describes where a run takes place: the CI job and the state of the repository, by the CI/CD
// and VCS semantic conventions, and the machine and process.
//
// Only the variables named in systems.go are read. None of them holds a token, and addresses lose their user
// information.
package cicontext
