package bench_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fencepost/internal/cli"
)

// linHeaders are headers of public libraries with what lin has to be told about them: nothing but options. Directories of
// FENCEPOST_LIBRARIES: libvsync and vatomic of open-s4c, ck, urcu and sysprog. Of locks with many operations, two or four are
// asked about.
var linHeaders = []struct {
	library, file string
	calls, ops    string
	want          int // exit code under TSO
}{
	{"libvsync", "spinlock/arraylock.h", "4", "", 0},
	{"libvsync", "spinlock/caslock.h", "4", "caslock_acquire,caslock_release", 0},
	{"libvsync", "spinlock/cnalock.h", "4", "", 0},
	{"libvsync", "spinlock/hemlock.h", "4", "hemlock_acquire,hemlock_release", 0},
	{"libvsync", "spinlock/mcslock.h", "4", "mcslock_acquire,mcslock_release", 0},
	{"libvsync", "spinlock/rec_mcslock.h", "2", "", 0},
	{"libvsync", "spinlock/rec_spinlock.h", "2", "", 0},
	{"libvsync", "spinlock/rec_ticketlock.h", "2", "", 0},
	{"libvsync", "spinlock/rwlock.h", "4", "rwlock_read_acquire,rwlock_read_release,rwlock_write_acquire,rwlock_write_release", 0},
	{"libvsync", "spinlock/semaphore.h", "2", "", 1}, // tryacquire may fail
	{"libvsync", "spinlock/seqcount.h", "4", "", 1},  // for one writer
	{"libvsync", "spinlock/seqlock.h", "4", "", 0},
	{"libvsync", "spinlock/ticketlock.h", "4", "ticketlock_acquire,ticketlock_release", 0},
	{"libvsync", "spinlock/ttaslock.h", "4", "ttaslock_acquire,ttaslock_release", 0},
	{"libvsync", "thread/mutex/musl.h", "4", "", 0},
	{"libvsync", "thread/mutex/slim.h", "4", "", 0},
	{"libvsync", "thread/mutex/tristate.h", "4", "", 0},
	{"libvsync", "queue/bounded_mpmc.h", "2", "", 1}, // "again"
	{"libvsync", "queue/bounded_spsc.h", "3", "", 0},
	{"libvsync", "queue/bounded_locked.h", "2", "", 1}, // "again"
	{"libvsync", "queue/chaselev.h", "2", "", 1},       // a steal may fail
	{"libvsync", "queue/mpsc.h", "2", "", 0},
	{"libvsync", "queue/unbounded_queue_lf.h", "2", "", 0},
	{"libvsync", "queue/unbounded_queue_total.h", "2", "", 0},
	{"libvsync", "stack/quack.h", "2", "", 0},
	{"ck", "ck_stack.h", "2", "ck_stack_push_upmc,ck_stack_pop_upmc", 0},
	{"ck", "ck_fifo.h", "2", "ck_fifo_spsc_enqueue:producer,ck_fifo_spsc_dequeue:consumer --init ck_fifo_spsc_init", 0},
	{"ck", "ck_sequence.h", "2", "", 0},
	{"ck", "ck_rwlock.h", "4", "ck_rwlock_write_lock,ck_rwlock_write_unlock,ck_rwlock_read_lock,ck_rwlock_read_unlock", 0},
	{"ck", "ck_swlock.h", "4", "ck_swlock_write_lock:w,ck_swlock_write_unlock:w,ck_swlock_read_lock,ck_swlock_read_unlock", 0},
	{"ck", "ck_pflock.h", "4", "", 0},
	{"ck", "ck_tflock.h", "4", "", 0},
	{"ck", "ck_bytelock.h", "4", "", 0},
	{"ck", "ck_brlock.h", "4", "ck_brlock_write_lock,ck_brlock_write_unlock", 0},
	{"ck", "spinlock/anderson.h", "4", "", 0},
	{"ck", "spinlock/cas.h", "4", "ck_spinlock_cas_lock,ck_spinlock_cas_unlock", 0},
	{"ck", "spinlock/dec.h", "4", "ck_spinlock_dec_lock,ck_spinlock_dec_unlock", 0},
	{"ck", "spinlock/fas.h", "4", "ck_spinlock_fas_lock,ck_spinlock_fas_unlock", 0},
	{"ck", "spinlock/mcs.h", "4", "ck_spinlock_mcs_lock,ck_spinlock_mcs_unlock", 0},
	{"ck", "spinlock/ticket.h", "4", "ck_spinlock_ticket_lock,ck_spinlock_ticket_unlock", 0},
	{"urcu", "urcu/ref.h", "2", "", 0},
	{"sysprog", "mcslock/mcslock.c", "4", "", 0},
	{"sysprog", "seqlock/seqlock.c", "2", "", 0},
}

// linFolders are the folders of a library with these files, and the ones to include.
var linFolders = map[string]struct {
	files   string
	include []string
}{
	"libvsync": {"libvsync/include/vsync", []string{"libvsync/include", "vatomic/include"}},
	"ck":       {"ck/include", []string{"ck/include", "ck/include/spinlock"}},
	"urcu":     {"urcu/include", []string{"urcu/include", "urcu/src"}},
	"sysprog":  {"sysprog", nil},
}

// TestLinHeaders: headers of public libraries are asked about without a line of harness.
func TestLinHeaders(t *testing.T) {
	dir := os.Getenv(libraries)
	if dir == "" {
		t.Skipf("no libraries here: %s does not name the directory of their sources", libraries)
	}
	for _, h := range linHeaders {
		t.Run(h.library+"/"+h.file, func(t *testing.T) {
			folder := linFolders[h.library]
			if !exists(filepath.Join(dir, h.library)) {
				t.Skipf("no %s here", h.library)
			}
			args := []string{"lin", filepath.Join(dir, folder.files, h.file), "--calls", h.calls, "--workers", "1", "--timeout", "10m"}
			if h.ops != "" {
				args = append(append(args, "--ops"), strings.Fields(h.ops)...)
			}
			for _, path := range folder.include {
				args = append(args, "-I", filepath.Join(dir, path))
			}
			var out, errs bytes.Buffer
			if got := cli.Run(args, nil, &out, &errs); got != h.want {
				first, _, _ := strings.Cut(out.String(), "\n")
				t.Errorf("exit code %d, want %d: %s\n%s", got, h.want, first, errs.String())
			}
		})
	}
}
