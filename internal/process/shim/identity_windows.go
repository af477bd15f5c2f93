package shim

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// Identity is the file's volume serial number and file index, behind links.
func Identity(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d:%d", info.VolumeSerialNumber, uint64(info.FileIndexHigh)<<32|uint64(info.FileIndexLow)), nil
}

// Self is our own executable's identity, empty if it cannot be known.
func Self() string {
	file, err := os.Executable()
	if err != nil {
		return ""
	}
	id, err := Identity(file)
	if err != nil {
		return ""
	}
	return id
}
