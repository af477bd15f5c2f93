package summary

import (
	"errors"
	"fmt"
	"os"
)

// Auto is the name of the file that the CI system shows on the job's page.
const Auto = "auto"

// Path returns the file to write to; "" if there is none because no CI system names one.
func Path(name string, getenv func(string) string) string {
	if name == Auto {
		return getenv("GITHUB_STEP_SUMMARY")
	}
	return name
}

// Append adds text to the file, in one write.
func Append(path, text string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return errors.New("summary: " + path + " is not a regular file") // opening a pipe may take for ever
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	_, err = file.WriteString(text)
	if cerr := file.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("summary: %w", err)
	}
	return nil
}
