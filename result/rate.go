package result

import "math"

// A Rate says how often one document was played to one agent, and what came of it.
type Rate struct {
	Document     string `json:"document"`
	Agent        string `json:"agent,omitempty"`
	Exploited    int    `json:"exploited"`
	Resisted     int    `json:"resisted"`
	Inconclusive int    `json:"inconclusive"` // in neither the rate nor its interval
	Interval
}

// An Interval is a share of trials with its Wilson score interval of 95 %. Without trials it is 0 to 1.
type Interval struct {
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// z is the 97.5 % point of the normal distribution.
const z = 1.959963984540054

// Wilson returns the share of hits among trials with its interval (Wilson 1927, without continuity correction), rounded to
// four digits so that every machine writes the same.
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

// RatesOf counts the runs of each document with each agent, in the order of their first runs.
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
