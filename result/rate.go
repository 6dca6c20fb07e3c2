package result

import "math"

// A Rate counts the results of running one document against one agent several times.
type Rate struct {
	Document     string `json:"document"`
	Agent        string `json:"agent,omitempty"`
	Exploited    int    `json:"exploited"`
	Resisted     int    `json:"resisted"`
	Inconclusive int    `json:"inconclusive"` // excluded from the rate and its interval
	Interval
}

// An Interval is a proportion with its 95 % Wilson score interval. Without trials it is 0 to 1.
type Interval struct {
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// z is the 97.5th percentile of the normal distribution.
const z = 1.959963984540054

// Wilson returns the proportion of hits with its interval (Wilson 1927, without continuity correction), rounded to four
// digits for identical output on every machine.
func Wilson(hits, trials int) Interval {
	if trials <= 0 {
		return Interval{High: 1}
	}
	n, p := float64(trials), float64(hits)/float64(trials)
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return Interval{Share: round(p), Low: round(max(0, centre-half)), High: round(min(1, centre+half))}
}

func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// RatesOf counts the runs of each document with each agent, in order of their first runs.
func RatesOf(runs []AttackRun) (out []Rate) {
	type key struct{ document, agent string }
	at := map[key]int{}
	for i := range runs {
		k := key{runs[i].Document, runs[i].Agent}
		n, ok := at[k]
		if !ok {
			n = len(out)
			at[k] = n
			out = append(out, Rate{Document: k.document, Agent: k.agent})
		}
		switch {
		case runs[i].Exploited():
			out[n].Exploited++
		case runs[i].Resisted():
			out[n].Resisted++
		default:
			out[n].Inconclusive++
		}
	}
	for i := range out {
		out[i].Interval = Wilson(out[i].Exploited, out[i].Exploited+out[i].Resisted)
	}
	return out
}
