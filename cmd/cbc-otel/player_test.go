package main

import (
	"bufio"
	"os"
	"time"
)

// playPause is between two lines of the player.
const playPause = 15 * time.Millisecond

// player prints the lines of the file it is given, not all at once.
func player() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		_, _ = os.Stdout.Write(line)
		if err != nil {
			return
		}
		time.Sleep(playPause)
	}
}
