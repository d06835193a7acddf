// Command generate writes the shop's data, as [schema.Items] makes it, to
// standard output: one item a line, in the format of a table export.
package main

import (
	"bufio"
	"fmt"
	"os"

	"github.com/seed530093c6/ddb/examples/shop/schema"
	"github.com/seed530093c6/ddb/export"
)

// seed is that of the file in the repository.
const seed = 2024

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func write() error {
	items, err := schema.Items(seed)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	w := export.NewWriter(out)
	for _, item := range items {
		if err := w.Write(item); err != nil {
			return err
		}
	}
	return out.Flush()
}
