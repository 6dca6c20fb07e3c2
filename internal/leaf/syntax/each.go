package syntax

import "runtime"

// A Text is what Each parses.
type Text struct {
	Language *Language
	Source   []byte
}

// Each parses texts, on all cores, and hands what Parse says of each to use, one after the other and in their order. No more trees
// are made ahead than there are cores. stop may be asked by several goroutines at a time.
func Each(texts []Text, stop func() bool, use func(i int, t *Tree, err error)) {
	type parsed struct {
		tree *Tree
		err  error
	}
	queue := make(chan chan parsed, runtime.GOMAXPROCS(0)-1)
	defer func() { // also where use panics
		for c := range queue {
			<-c
		}
	}()
	go func() { // ends when the last text was taken from the queue, which is read to its end
		defer close(queue)
		for _, x := range texts {
			c := make(chan parsed, 1)
			go func() { // ends with its text: the steps of a parser are bounded
				t, err := Parse(x.Language, x.Source, stop)
				c <- parsed{t, err}
			}()
			queue <- c
		}
	}()
	i := 0
	for c := range queue {
		p := <-c
		use(i, p.tree, p.err)
		i++
	}
}
