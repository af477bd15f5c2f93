// Package markdown shows the job summary to a renderer of GitHub-flavoured Markdown. The renderer is a dependency
// of these tests only, hence a module of their own.
package markdown
