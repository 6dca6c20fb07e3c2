// Command fit fits the weights of the learnt layer of internal/leaf/clause and writes them.
//
//	go run ./internal/testing/fit -texts DIR -out internal/leaf/clause/learnt.bin
//
// It learns from the families in internal/engine/scanner/testdata and from a folder of public texts: attacks/definitions.ndjson and
// texts.ndjson with labelled harm, honest/servers with snapshots of real servers, honest/functions.ndjson and instructions.ndjson. With
// -fold K/N it leaves out one part of the attacks' sources and of the servers' owners, so that a measurement on that part counts.
// Without -fold it first fits four times, each time without a quarter, and takes the bounds of the scores from what the quarters that were left
// out score. docs/figures.md has the figures.
package main

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gauntlet/internal/leaf/clause"
)

var (
	texts    = flag.String("texts", "", "folder of public texts")
	families = flag.String("families", "internal/engine/scanner/testdata/families", "folder of attack and honest families")
	out      = flag.String("out", "", "file to write")
	foldFlag = flag.String("fold", "", "K/N: learn without part K of N")
	blank    = flag.Bool("blank", false, "write a file without weights: needed once where the features have changed in number")
	list     = flag.Bool("list", false, "list what is missed and what is flagged")
)

// folds is how many parts the data is cut into to find the bounds.
const folds = 4

// The shares of real definitions that may score above each bound.
const (
	faintShare   = 0.10   // a rule of medium severity counts
	heardShare   = 0.015  // any rule counts
	certainShare = 0.01   // a rule has its own severity, and medium severity below
	likelyShare  = 0.0004 // reported without a rule
	sureShare    = 0.0002 // of high severity without a rule, by sureMargin more
)

// sureMargin is added to the score that one definition in five thousand reaches, since three of them say little about the next five
// thousand. By weights without a quarter of the data, of 10,287 definitions that nothing had learnt from 16 were high with two thirds of
// it, and 10 with it, for 3 of 231 public attacks.
const sureMargin = 1.2

func main() {
	flag.Parse()
	if *blank {
		m := &model{weights: make([]float32, clause.LearntFeatures)}
		if err := os.WriteFile(*out, m.encode([5]float64{}), 0o666); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if *texts == "" || *out == "" {
		flag.Usage()
		os.Exit(2)
	}
	without, of := -1, folds
	if k, n, ok := strings.Cut(*foldFlag, "/"); ok {
		without, _ = strconv.Atoi(k)
		of, _ = strconv.Atoi(n)
	}
	docs := readAll(*texts, *families, of)
	docs = slices.DeleteFunc(docs, func(d *document) bool { return d.fold == without && without >= 0 })
	bounds := findBounds(docs, of)
	m := fit(docs, 1)
	if err := os.WriteFile(*out, m.encode(bounds), 0o666); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// findBounds scores each part of the data by a model that has not seen it, and returns the scores that the shares of real
// definitions reach.
func findBounds(docs []*document, n int) [5]float64 {
	var wg sync.WaitGroup
	running := make(chan bool, 2) // each fit holds its weights, and two processors are all there is
	for k := range n {
		wg.Go(func() {
			running <- true
			defer func() { <-running }()
			m := fit(slices.DeleteFunc(slices.Clone(docs), func(d *document) bool { return d.fold == k }), int64(k+2))
			for _, d := range docs {
				if d.fold == k {
					d.score, d.quote = m.score(d)
				}
			}
		})
	}
	wg.Wait()
	var real []float64
	for _, d := range docs {
		if d.kind == server && d.fold >= 0 {
			real = append(real, d.score)
		}
	}
	slices.Sort(real)
	slices.Reverse(real)
	at := func(share float64) float64 { return real[int(share*float64(len(real)))] }
	bounds := [5]float64{at(faintShare), at(heardShare), at(certainShare), at(likelyShare), at(sureShare) + sureMargin}
	for _, share := range []float64{0.0001, 0.0002, 0.0005, 0.001, 0.0015, 0.003, 0.01, 0.02, 0.05, 0.1} {
		fmt.Printf("%6.2f %% of %d real definitions score %5.2f:", 100*share, len(real), at(share))
		for kind, name := range map[kind]string{published: "published", padded: "padded", pushy: "pushy"} {
			found, all := 0, 0
			for _, d := range docs {
				if d.kind == kind && d.fold >= 0 {
					all++
					if d.score > at(share) {
						found++
					}
				}
			}
			if all > 0 {
				fmt.Printf("  %s %d of %d", name, found, all)
			}
		}
		fmt.Println()
	}
	if *list {
		for _, d := range docs {
			if d.kind == published && d.score <= bounds[3] {
				fmt.Printf("MISSED %5.2f %s: %s\n", d.score, d.name, strings.Join(strings.Fields(strings.Join(d.harm, " ")), " "))
			}
			if d.kind == server && d.score > at(0.004) {
				fmt.Printf("FLAGGED %5.2f %s: %s\n", d.score, d.name, strings.Join(strings.Fields(d.quote), " "))
			}
		}
	}
	return bounds
}

// unit is how finely weights are written: the largest is 127 units.
func (m *model) unit() float64 {
	most := 0.0
	for _, w := range m.weights {
		most = max(most, math.Abs(float64(w)))
	}
	return max(min(most, 4), 0.01) / 127
}

// encode writes the weights in bytes, and the bias and the bounds in the units of clause's scores: 256 times a unit.
func (m *model) encode(bounds [5]float64) []byte {
	unit := m.unit()
	scale := func(x float64) uint32 { return uint32(int32(math.Round(x / unit * 256))) }
	b := binary.LittleEndian.AppendUint32(nil, scale(m.bias))
	for _, x := range append([]float64{sizeCost}, bounds[:]...) {
		b = binary.LittleEndian.AppendUint32(b, scale(x))
	}
	for _, w := range m.weights {
		b = append(b, byte(int8(math.Round(max(-127, min(127, float64(w)/unit))))))
	}
	return b
}
