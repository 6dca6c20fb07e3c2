package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// platform is what Linux needs to hold a sandbox.
type platform struct {
	pid     int
	control *control
	notices *os.File // where the second stage hands over the descriptor for notices

	mu         sync.Mutex
	root       *os.File // the root of what the server sees
	private    *os.File // what the server can write to
	held       []Protection
	before     map[string]fileState // what stood in the private folders before the server started
	serverRuns bool                 // its program was started
	limits     limitWatch
	closing    sync.Once
	running    sync.WaitGroup // goroutines that end with the sandbox
	ending     []func()       // end them

	network network

	theirs []*os.File // the ends of sockets that the first process inherits
	order  startOrder
	view   *view
}

// foreignID is the user and group that the server is to the kernel where we are root: none that
// anything else belongs to.
const foreignID = 1_900_000_000

func (s *Sandbox) prepare() error {
	if err := s.prepareNetwork(); err != nil {
		return err
	}
	return probeNamespaces()
}

// wrap makes the command start our own program as the first process of new namespaces.
func (s *Sandbox) wrap(cmd *exec.Cmd) (func(error) error, error) {
	if cmd.Err != nil {
		return nil, cmd.Err
	}
	if !programRunsChildren {
		return nil, errors.New("this program cannot start sandboxes: its main function does not call sandbox.RunChild")
	}
	dir := cmd.Dir
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return nil, err
		}
	}
	path, err := filepath.Abs(cmd.Path)
	if err != nil {
		return nil, err
	}
	env := s.serverEnvironment(cmd.Env)
	args, names := cmd.Args[1:], env
	if s.config.OwnFiles {
		args, names = s.config.Args, s.config.Environ
	}
	s.view = newView(path, args, dir, names, s.config.Read)
	s.order = startOrder{Path: path, Args: slices.Clone(cmd.Args), Env: env, Dir: dir, Limits: s.config.Limits}
	s.order.Writable = append([]string{s.view.home, "/tmp", "/run", "/srv", "/var", "/mnt", "/home", "/dev", "/proc"}, s.view.dirs...)
	if err := s.openSockets(); err != nil {
		return nil, err
	}
	cmd.Path, cmd.Args, cmd.Dir, cmd.Err = "/proc/self/exe", []string{"/sbin/init"}, "/", nil
	cmd.Env = []string{stageVariable + "=" + stageInit, "GOGC=off", "GODEBUG=madvdontneed=1"}
	cmd.ExtraFiles = append(cmd.ExtraFiles, s.theirs...)
	cmd.SysProcAttr = newNamespaces(cmd.SysProcAttr)
	return func(err error) error { return s.started(cmd, err) }, nil
}

func (s *Sandbox) openSockets() error {
	ours, theirs, err := socketPair()
	if err != nil {
		return err
	}
	notices, theirNotices, err := socketPair()
	if err != nil {
		closeAll([]*os.File{ours, theirs})
		return err
	}
	s.control, s.notices, s.theirs = &control{file: ours}, notices, []*os.File{theirs, theirNotices}
	return nil
}

// newNamespaces asks for a process in namespaces of its own. The server is the user to itself
// that we are.
func newNamespaces(a *syscall.SysProcAttr) *syscall.SysProcAttr {
	if a == nil {
		a = &syscall.SysProcAttr{}
	}
	uid, gid := os.Getuid(), os.Getgid()
	a.Cloneflags |= syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS | syscall.CLONE_NEWNET | unix.CLONE_NEWCGROUP
	a.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	a.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	if os.Geteuid() == 0 {
		a.UidMappings[0].HostID, a.GidMappings[0].HostID = foreignID, foreignID
		a.GidMappingsEnableSetgroups = true
		a.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if neededRights[c] {
			a.AmbientCaps = append(a.AmbientCaps, c)
		}
	}
	return a
}

// neededRights are the capabilities, inside its own namespaces, that the first process needs. It
// is a user that is not root there, which loses those that are not ambient when it starts.
var neededRights = map[uintptr]bool{
	unix.CAP_SYS_ADMIN: true, unix.CAP_NET_ADMIN: true, unix.CAP_NET_RAW: true, unix.CAP_NET_BIND_SERVICE: true,
	unix.CAP_SETPCAP: true, unix.CAP_DAC_OVERRIDE: true, unix.CAP_SYS_RESOURCE: true, unix.CAP_KILL: true, unix.CAP_MKNOD: true, unix.CAP_SYS_CHROOT: true,
}

// started sets the sandbox up in which the first process now runs, and starts the server.
func (s *Sandbox) started(cmd *exec.Cmd, startErr error) (err error) {
	closeAll(s.theirs)
	defer func() {
		if err != nil {
			_ = s.Close()
		}
	}()
	if startErr != nil {
		return explainStart(startErr)
	}
	s.pid = cmd.Process.Pid
	if err := s.setUp(); err != nil {
		return err
	}
	if err := s.openNetwork(); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	s.watchCanaries()
	if !s.config.Scratch {
		s.rememberFiles()
	}
	return s.startServer()
}

// setUp sends the setup and keeps the descriptors that come back: the root of what the server
// sees and what it can write to.
func (s *Sandbox) setUp() error {
	order := s.newSetup()
	mounts := order.takeMounts(s.pid)
	defer func() {
		for _, fd := range mounts {
			_ = unix.Close(fd)
		}
	}()
	got, files, err := s.control.ask(request{Setup: &order}, mounts...)
	if err != nil {
		return err
	}
	if len(files) != 3 {
		closeAll(files)
		return errors.New("the sandbox handed over no root and network")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.root, s.private, s.network.wire = files[0], files[1], files[2]
	s.held = append(s.held, got.Held...)
	return nil
}

// startServer starts the server and waits until its program runs, or does not.
func (s *Sandbox) startServer() error {
	got, _, err := s.control.ask(request{Start: &s.order})
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.held = append(s.held, got.Held...)
	s.mu.Unlock()
	var report reply
	files, err := receiveMessage(s.notices, &report)
	if err != nil {
		return fmt.Errorf("the sandbox could not be closed: %w", err)
	}
	if report.Error != "" {
		closeAll(files)
		return errors.New(report.Error)
	}
	s.mu.Lock()
	s.held = append(s.held, report.Held...)
	s.mu.Unlock()
	if len(files) > 0 {
		s.supervise(files[0])
	}
	// The second stage holds the socket until its program runs.
	if _, err := receiveMessage(s.notices, &report); !errors.Is(err, io.EOF) {
		if err == nil && report.Error != "" {
			err = errors.New(report.Error)
		}
		return fmt.Errorf("the program could not be started in the sandbox: %w", err)
	}
	return nil
}

// newSetup is what the first process is told.
func (s *Sandbox) newSetup() setup {
	v := s.view
	out := setup{Home: v.home, HostName: "workstation", System: systemFolders, Disk: s.config.Limits.Disk, Inodes: s.config.Limits.Files}
	for _, d := range v.dirs {
		out.Dirs = append(out.Dirs, shown{Path: d})
	}
	for _, f := range v.files {
		out.Binds = append(out.Binds, shown{Path: f})
	}
	out.Etc = s.etcFiles()
	for _, f := range slices.Concat(s.planted, s.config.Files) {
		f.Path = inHome(v.home, f.Path)
		out.Files = append(out.Files, f)
	}
	return out
}

func (s *Sandbox) report() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Report{Protections: slices.Clone(s.held), Notes: s.notes()}
}

func (s *Sandbox) notes() []string {
	if s.view == nil {
		return nil
	}
	return s.view.notes
}

func (s *Sandbox) writeFile(f File) error {
	f.Path = inHome(s.view.home, f.Path)
	_, _, err := s.control.ask(request{Write: &f})
	return err
}

// close ends the first process, upon which the kernel ends all others of the sandbox.
func (s *Sandbox) close() error {
	s.closing.Do(func() {
		if !s.config.Scratch {
			s.recordChanges()
		}
		if s.control != nil {
			s.control.end()
			_ = s.notices.Close()
		}
		s.mu.Lock()
		ending := s.ending
		s.ending = nil
		s.mu.Unlock()
		for _, end := range ending {
			end()
		}
		s.running.Wait()
		s.network.connections.Wait()
		s.recorder.countLost()
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, f := range []*os.File{s.root, s.private} {
			if f != nil {
				_ = f.Close()
			}
		}
		s.root, s.private = nil, nil
	})
	return nil
}
