package hostscope

import "testing"

// An address is what it is in whichever notation; names that only look like one are public.
func TestOf(t *testing.T) {
	for host, want := range map[string]Scope{
		"１２７。0.0.1": Loopback, "ｌocalhost": Loopback, "１.1.1.1": Public,
		"127.0.0.1": Loopback, "127.1": Loopback, "2130706433": Loopback, "0x7f000001": Loopback, "0x7f.1": Loopback, "017700000001": Loopback, "::1": Loopback, "[::1]": Loopback, "::ffff:7f00:1": Loopback,
		"64:ff9b::7f00:1": Loopback, "localhost": Loopback, "LOCALHOST.": Loopback, "a.localhost": Loopback, "0.0.0.0": Loopback,
		"10.0.0.1": Private, "192.168.1.1": Private, "172.31.0.1": Private, "100.64.0.1": Private, "fd00::1": Private, "printer.local": Private, "db.internal": Private,
		"169.254.169.254": LinkLocal, "fe80::1%eth0": LinkLocal, "metadata.google.internal": LinkLocal, "2852039166": LinkLocal, "224.0.0.1": LinkLocal,
		"100.100.100.200": LinkLocal, "192.0.0.192": LinkLocal, "fd00:ec2::254": LinkLocal, "::ffff:6464:64c8": LinkLocal, "100.100.100.201": Private, "192.0.0.193": Public, "198.19.0.1": Private, "198.20.0.1": Public, "255.255.255.255": Private, "fd00:ec2::253": Private,
		"example.com": Public, "8.8.8.8": Public, "172.32.0.1": Public, "127.0.0.1.example.com": Public, "localhost.example.com": Public, "1.2.3.4.5": Public, "256.1": Public, "4294967296": Public, "": Public, "internal": Public, "0x": Public,
	} {
		if got := Of(host); got != want {
			t.Errorf("%q: %s, want %s", host, got, want)
		}
	}
	for address, want := range map[string]Scope{"http://127.0.0.1:80/a": Loopback, "https://example.com@10.0.0.1/": Private, "/a": Public, "%": Public, "http://[fe80::1]/": LinkLocal,
		`http:\\127.0.0.1\x`: Loopback, "http:/127.0.0.1/x": Loopback, "HTTP:127.0.0.1": Loopback, `https:/\10.0.0.1`: Private, "http:////127.0.0.1?a": Loopback, "//127.0.0.1/x": Loopback,
		`http://example.com\@127.0.0.1/`: Public, `http://example.com?\\127.0.0.1`: Public, "x:/127.0.0.1/": Public, "http:": Public, "/127.0.0.1/x": Public} {
		if got := OfURL(address); got != want {
			t.Errorf("%q: %s, want %s", address, got, want)
		}
	}
}
