// The two servers in Go, and what they share. Nothing but Go's standard library.
module ladder

go 1.24
