# SPDX-License-Identifier: Apache-2.0
"""What the parts themselves cost, measured in the same run: playbin under gst-launch, and the bus under a bare echo."""
import os
import pty
import re
import select
import subprocess

from dbusc import Timeout, now
from players import Adapter, deb, uri
from session import Session, cpu, memory, switch_delta, switches

ECHO_NAME = "org.martlet.Bench.Echo"


class GstLaunch(Adapter):
    name, notes = "gst-launch", "gst-launch-1.0 playbin, default settings"

    def version(self):
        return "GStreamer " + deb("gstreamer1.0-tools")


class Echo(Adapter):
    name, notes = "echo", "libdbus without a main loop, answering GetAll"

    def version(self):
        return "libdbus " + deb("libdbus-1-3")


def start_playbin(s, path):
    """Milliseconds from exec until playbin says PLAYING."""
    ours, theirs = pty.openpty()            # so that each message comes as it is made
    t = now()
    p = subprocess.Popen(["gst-launch-1.0", "--no-position", "-m", "playbin", "uri=" + uri(path)], env=s.env,
                         stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, start_new_session=True)
    s.procs.append(p)
    os.close(theirs)
    seen, end = b"", now() + 20
    try:
        while now() < end:
            if select.select([ours], [], [], 0.5)[0]:
                seen += os.read(ours, 65536)
                if re.search(rb'"playbin\d*" \(state-changed\)[^\n]*new-state=\(GstState\)playing', seen):
                    return (now() - t) * 1e3
        raise Timeout("gst-launch does not play: " + seen[-300:].decode(errors="replace"))
    finally:
        s.end(p)
        s.procs.remove(p)
        os.close(ours)


def playbin(s, path, window):
    """(CPU s/min, wake-ups/s, PSS MiB) of gst-launch while it plays."""
    p = s.spawn(["gst-launch-1.0", "--no-position", "playbin", "uri=" + uri(path)], "gst-launch")
    s.bus.pump(3)
    c0, w0, t0 = cpu([p.pid]), switches([p.pid]), now()
    s.bus.pump(window)
    c1, w1, t1 = cpu([p.pid]), switches([p.pid]), now()
    pss = memory([p.pid])["pss"] / 1024
    if p.poll() is not None:
        raise Timeout("gst-launch ended")
    s.end(p)
    s.procs.remove(p)
    return (c1 - c0) * 60 / (t1 - t0), switch_delta(w0, w1)[0] / (t1 - t0), pss


def playbin_part(adapter, idx, _, window):
    r = {}
    with Session(adapter) as s:
        r["start_moving_ms"] = start_playbin(s, idx["album"][0])
        r["cpu_flac"], r["wake_play"], r["pss_play"] = playbin(s, idx["album"][0], window)
        r["cpu_mp3"], _, r["pss_mp3"] = playbin(s, idx["albummp3"][0], window)
    return r


def ask(s, name, seconds=2.0, count=500):
    """GetAll(Player) by the C client: {getall_seq, getall_p50_ms, getall_p99_ms, getall_pipe}."""
    out = subprocess.run([os.environ["MARTLET_ECHO"], "ask", name, str(seconds), str(count)], env=s.env,
                         capture_output=True, text=True, timeout=60)
    if out.returncode:
        raise Timeout(out.stderr.strip())
    seq, pipe = (line.split()[1:] for line in out.stdout.splitlines())
    return {"getall_seq": float(seq[0]), "getall_p50_ms": float(seq[1]), "getall_p99_ms": float(seq[2]),
            "getall_pipe": float(pipe[0])}


def echo_part(adapter, *_):
    with Session(adapter) as s:
        s.spawn([os.environ["MARTLET_ECHO"], "serve", ECHO_NAME], "echo")
        s._until(lambda: s.bus.owner(ECHO_NAME), "the echo does not start")
        return ask(s, ECHO_NAME)
