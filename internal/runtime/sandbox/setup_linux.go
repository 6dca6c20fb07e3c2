package sandbox

// A setup is what the first process needs to know to set the sandbox up. All of it is ours.
type setup struct {
	Home     string
	HostName string
	Dirs     []shown  // copies that can be written to
	Binds    []shown  // files that are shown as they are
	System   []string // folders of the system, by name
	Etc      []File   // stand in front of what /etc holds
	Files    []File   // canaries and fixtures
	Disk     int64    // bytes that can be written in all
	Inodes   int      // files and folders that can be made in all
}

// A shown folder or file is one of this machine that the server sees.
type shown struct {
	Path string
	// Mount says that the next of the descriptors that come with the setup is a mount of it.
	Mount bool
}

// A startOrder is the server that the first process is to start.
type startOrder struct {
	Path   string
	Args   []string
	Env    []string
	Dir    string
	Limits Limits
	// Writable are the folders that landlock lets the server write to.
	Writable []string
}

// stageVariable tells our own program that it is to be one of the processes of a sandbox. The
// server does not get it.
const stageVariable = "GAUNTLET_SANDBOX_STAGE"

// The stages.
const (
	stageInit = "init" // the first process of the sandbox
	stageExec = "exec" // gives up its rights and becomes the server
)

// The descriptors that the stages begin with.
const (
	controlFD = 3 // of the first process: its end of the control socket; of the second: its orders
	noticeFD  = 4 // where the second stage hands over the descriptor that notices come from
)
