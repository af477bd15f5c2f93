// Package browser tests the page of traces in a real Chromium: what view serves and what report writes.
//
// Chromium must be installed (Debian: apt-get install chromium) or named by CHROMIUM; without it the tests fail, unless
// BROWSER_SKIP=1. Pictures are written to the folder shots; they are for people to look at.
package browser
