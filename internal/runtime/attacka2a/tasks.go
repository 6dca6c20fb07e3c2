package attacka2a

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/a2a"
	"gauntlet/internal/runtime/attack"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// remember keeps an answer with an id for clients that request the task again.
func (s *server) remember(result string) {
	v := rawjson.Read(result)
	if t := v.Get("task"); t.Kind() == rawjson.Object {
		v = t
	}
	id := v.Get("id").Text()
	if id == "" || a2a.IsMessage(v) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.tasks[id]; !known {
		if s.order = append(s.order, id); len(s.order) > mostTasks {
			delete(s.tasks, s.order[0])
			delete(s.pushes, s.order[0])
			s.order = s.order[1:]
		}
	}
	s.tasks[id] = v.Raw()
}

func (s *server) task(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tasks[id]
}

func (s *server) listTasks() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, id := range s.order {
		all = append(all, s.tasks[id])
	}
	return `{"tasks":[` + strings.Join(all, ",") + `],"nextPageToken":"","pageSize":` + strconv.Itoa(len(all)) + `,"totalSize":` + strconv.Itoa(len(all)) + `}`
}

// answerPush stores push notification configurations unchanged, one per task.
func (s *server) answerPush(method string, request rawjson.Value) (string, int, string) {
	id := cmp.Or(request.Get("taskId").Text(), request.Get("id").Text())
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, known := s.pushes[id]
	switch {
	case method == a2a.PushSet:
		if len(s.pushes) < mostTasks {
			s.pushes[id] = strings.Clone(request.Raw())
		}
		return request.Raw(), 0, ""
	case method == a2a.PushList && known:
		return "[" + kept + "]", 0, ""
	case method == a2a.PushList:
		return "[]", 0, ""
	case !known:
		return "", codeTaskNotFound, "Task not found"
	case method == a2a.PushDelete:
		delete(s.pushes, id)
		return "null", 0, ""
	}
	return kept, 0, ""
}

// Do performs A2A's own on_enter action: send_push_notification posts a payload to a client (§7.2.6).
func (s *server) Do(ctx context.Context, e attack.Entry, name, value string) bool {
	if name != "send_push_notification" {
		return false
	}
	v := rawjson.Read(value)
	to := v.Get("url").Text()
	if why := s.mayPush(to); why != "" {
		s.Notice(attack.Unplayed, e.Phase(), "a push notification is not sent: %s", why)
		return true
	}
	payload := cmp.Or(v.Get("payload").Raw(), "{}")
	s.Spawn(func() { // ends with the request, which has a time limit, or with the run
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(payload))
		if err == nil {
			req.Header.Set("Content-Type", "application/json")
			s.Record(trace.Message{
				Time: s.Now(), Actor: s.Name, Phase: s.Phases[e.Phase()].Name, Server: s.Name, Session: "push", Protocol: a2a.Protocol, Role: trace.AsServer,
				Direction: trace.ToClient, Kind: trace.Event, Method: name, Raw: payload,
			})
			var r *http.Response
			if r, err = s.pusher.Do(req); err == nil {
				err = r.Body.Close()
			}
		}
		if err != nil && ctx.Err() == nil {
			s.Notice(attack.Unplayed, e.Phase(), "a push notification did not arrive: %v", err)
		}
	})
	return true
}

// mayPush says why nothing may be pushed to a URL, or returns "".
func (s *server) mayPush(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "its url is not an HTTP URL"
	}
	host := u.Hostname()
	ip, err := netip.ParseAddr(host)
	if s.opt.PushAnywhere || err == nil && ip.IsLoopback() || host == "localhost" {
		return ""
	}
	return "its url leads to another machine, " + net.JoinHostPort(host, cmp.Or(u.Port(), "80")) + ", and only this one is allowed"
}
