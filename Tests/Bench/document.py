# SPDX-License-Identifier: Apache-2.0
"""What the bench found, as docs/benchmarks.md: every figure with its target, and every sample.

    document.py RESULTS.json        write it again, with reasons.json as it is now
"""
import json
import os
import platform
import re
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIMITS = ("gst-launch", "echo")


def pct(v, q):
    v = sorted(v)
    return v[min(len(v) - 1, int(q * len(v)))] if v else None


def output(*argv):
    try:
        r = subprocess.run(argv, capture_output=True, text=True, timeout=20)
        return (r.stdout + r.stderr).strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""


def machine():
    with open("/proc/cpuinfo") as h:
        model = re.search(r"model name\s*: (.*)", h.read())
    with open("/proc/meminfo") as h:
        mem = int(h.readline().split()[1]) / 2**20
    with open("/etc/os-release") as h:
        system = re.search(r'PRETTY_NAME="(.*)"', h.read())
    return {"processor": model.group(1) if model else platform.machine(), "cores": os.cpu_count(),
            "memory": f"{mem:.0f} GiB", "kernel": platform.release(), "system": system.group(1) if system else "?",
            "GStreamer": output("pkg-config", "--modversion", "gstreamer-1.0"),
            "libdbus": output("pkg-config", "--modversion", "dbus-1"),
            "PulseAudio": output("pulseaudio", "--version").removeprefix("pulseaudio "),
            "Swift": (re.search(r"Swift version (\S+)", output("swift", "--version")) or [None, "?"])[1],
            "commit": output("git", "-C", HERE, "rev-parse", "--short", "HEAD")}


# Figures of a repetition: a number, or a list of samples of which p50 and p99 count.
KEYS = ("start_name_ms start_playing_ms start_moving_ms pss_idle rss_idle pss_play pss_mp3 rss_play cpu_flac cpu_mp3 "
        "cpu_pause cpu_idle wake_idle wake_pause wake_play switch_play signals_per_min getall_seq getall_pipe "
        "getall_p50_ms getall_p99_ms pp_before start_cpu_ms load").split()
SAMPLES = ("bus_ms ping_ms getpos_ms pp_reply_ms pp_signal_ms next_reply_ms next_signal_ms sp_reply_ms sp_signal_ms "
           "sp_off_ms").split()


def gather(reps):
    """Medians over a player's repetitions; latencies are pooled."""
    out = {}
    for k in KEYS:
        v = [r[k] for r in reps if r.get(k) is not None]
        if v:
            out[k] = statistics.median(v)
    for k in SAMPLES:
        pool = [x for r in reps for x in r.get(k, [])]
        if pool:
            out[k] = pct(pool, .5)
            out[k + ":99"] = pct(pool, .99)
    for k in ("sp_lost", "next_lost"):
        out[k] = sum(r.get(k, 0) for r in reps)
    out["answers_at_once"] = all(r.get("answers_at_once", True) for r in reps)
    return out


class Figure:
    """One row: where its value stands, what it is compared with, and when its target is met.

    `test` takes (martlet's value, value of a player by name, best peer's value) and says whether the target is met;
    None where something needed was not measured.
    """

    def __init__(self, ident, title, target, test, key=None, get=None, more=False, digits=2, limit=None):
        self.ident, self.title, self.target, self.test = ident, title, target, test
        self.get = get or (lambda d: d.get("summary", {}).get(key))
        self.more, self.digits, self.limit = more, digits, limit

    def values(self, res):
        return {n: v for n, d in res["players"].items() if (v := self.get(d)) is not None}


def at_most(x):
    return lambda v, of, best: v <= x


def beside(name, factor=1.0, plus=0.0, cap=None):
    """At most factor × the named one's + plus, and at most cap."""
    def test(v, of, best):
        if of(name) is None:
            return None
        return v <= factor * of(name) + plus and (cap is None or v <= cap)
    return test


def least(name, factor):
    return lambda v, of, best: None if of(name) is None else v >= factor * of(name)


def lat(ident, title, key, p50, p99):
    return [Figure(f"{ident}-p50", f"{title}, ms, p50", f"\u2264 {p50:g}", at_most(p50), key, digits=3),
            Figure(f"{ident}-p99", f"{title}, ms, p99", f"\u2264 {p99:g}", at_most(p99), key + ":99")]


def gap(kind):
    def get(d):
        g = d.get("gap_" + kind, {}).get("gaps")
        v = [abs(x) for x in g or [] if x is not None]
        return max(v) if g and len(v) == len(g) else None
    return get


def storm(key):
    return lambda d: d.get("storm", {}).get(key)


def queue(key, q=None):
    def get(d):
        v = d.get("queue", {}).get(key)
        return pct(v, q) if q and v else v
    return get


def getall_kept(d):
    q = d.get("queue")
    return q["getall_full"] / q["getall_empty"] if q else None


def not_slower_than_mpv(v, of, best):
    if of("gst-launch") is None or of("mpv") is None:
        return None
    return v <= 1.15 * of("gst-launch") and v <= of("mpv")


FIGURES = [
    Figure("start-name", "exec \u2192 name owned, ms", "\u2264 20", at_most(20), "start_name_ms", digits=0),
    Figure("start-cpu", "CPU used from exec until the name answers, ms", "\u2013", None, "start_cpu_ms", digits=0),
    Figure("start-sound", "exec with a file \u2192 Position > 0, ms", "\u2264 1.15 \u00d7 gst-launch to PLAYING, \u2264 mpv",
           not_slower_than_mpv, "start_moving_ms", digits=0, limit="gst-launch"),
    Figure("pss-idle", "PSS idle, before the first play, MiB", "\u2264 8", at_most(8), "pss_idle", digits=1),
    Figure("pss-flac", "PSS playing FLAC, MiB", "\u2264 gst-launch + 6, \u2264 22", beside("gst-launch", 1, 6, 22), "pss_play",
           digits=1, limit="gst-launch"),
    Figure("pss-mp3", "PSS playing MP3, MiB", "\u2264 gst-launch + 6, \u2264 22", beside("gst-launch", 1, 6, 22), "pss_mp3",
           digits=1, limit="gst-launch"),
    Figure("cpu-flac", "CPU seconds a minute, FLAC", "\u2264 0.7 \u00d7 gst-launch", beside("gst-launch", 0.7), "cpu_flac",
           limit="gst-launch"),
    Figure("cpu-mp3", "CPU seconds a minute, MP3", "\u2264 0.7 \u00d7 gst-launch", beside("gst-launch", 0.7), "cpu_mp3",
           limit="gst-launch"),
    Figure("cpu-pause", "CPU seconds a minute, paused", "0.00", at_most(0.00499), "cpu_pause", digits=3),
    Figure("cpu-idle", "CPU seconds a minute, idle", "0.00", at_most(0.00499), "cpu_idle", digits=3),
    Figure("wake-idle", "wake-ups a second, idle", "\u2264 1.1", at_most(1.1), "wake_idle", digits=1),
    Figure("wake-pause", "wake-ups a second, paused", "\u2264 1.1", at_most(1.1), "wake_pause", digits=1),
    Figure("wake-play", "wake-ups a second, playing", "\u2264 25", at_most(25), "wake_play", digits=1, limit="gst-launch"),
    *lat("playpause-signal", "PlayPause \u2192 PropertiesChanged", "pp_signal_ms", 0.5, 5),
    *lat("playpause-reply", "PlayPause \u2192 reply", "pp_reply_ms", 0.5, 5),
    Figure("playpause-order", "PlayPause: signal before the reply, %", "100", lambda v, of, best: v >= 100, "pp_before",
           more=True, digits=0),
    *lat("next-signal", "Next \u2192 Metadata changed", "next_signal_ms", 1.5, 10),
    *lat("seek-signal", "SetPosition \u2192 Seeked (landed)", "sp_signal_ms", 2, 10),
    Figure("seek-exact", "SetPosition: Seeked off the asked position, ms, p99", "\u2264 1", at_most(1), "sp_off_ms:99"),
    Figure("bus-p50", "bus: a round trip to the bus itself in the player's session, ms, p50", "\u2013", None, "bus_ms", digits=3),
    Figure("bus-p99", "bus, p99", "\u2013", None, "bus_ms:99"),
    *lat("position", "Get Position", "getpos_ms", 0.12, 1.5),
    Figure("getall-sequential", "GetAll a second, one after another", "\u2265 0.8 \u00d7 bare echo", least("echo", 0.8),
           "getall_seq", more=True, digits=0, limit="echo"),
    Figure("getall-pipelined", "GetAll a second, 500 in flight", "\u2265 0.8 \u00d7 bare echo", least("echo", 0.8),
           "getall_pipe", more=True, digits=0, limit="echo"),
    Figure("getall-p50", "GetAll, ms, p50", "\u2013", None, "getall_p50_ms", digits=3, limit="echo"),
    Figure("getall-p99", "GetAll, ms, p99", "\u2013", None, "getall_p99_ms", digits=2, limit="echo"),
    Figure("storm-lost", "storm of 10,000 mixed commands: unanswered or refused", "0", at_most(0),
           get=lambda d: d["storm"]["sent"] - d["storm"]["answered"] if "storm" in d else None, digits=0),
    Figure("storm-rate", "storm: calls a second", "\u2265 the best peer",
           lambda v, of, best: None if best is None else v >= best, get=storm("calls_per_s"), more=True, digits=0),
    Figure("storm-growth", "storm: growth of RSS, MiB", "\u2264 1", at_most(1), get=storm("rss_growth_mib"), digits=1),
    Figure("gap-flac", "FLAC: samples lost or inserted at the worst of 9 edges", "0", at_most(0), get=gap("flac"), digits=0),
    Figure("gap-mp3", "MP3: the same", "0", at_most(0), get=gap("mp3"), digits=0),
    *[Figure("gap-" + kind, f"{name}: the same", "0", at_most(0), get=gap(kind), digits=0)
      for kind, name in (("opus", "Opus"), ("ogg", "Vorbis"), ("m4a", "AAC"), ("wav", "WAV"))],
    Figure("queue-edit-p50", "100,000 entries: an edit over the bus, ms, p50", "\u2013", None, get=queue("queue_edit_ms", .5)),
    Figure("queue-edit-p99", "100,000 entries: an edit, p99", "\u2264 5", at_most(5), get=queue("queue_edit_ms", .99)),
    Figure("queue-shuffle", "100,000 entries: shuffle on, ms", "\u2264 20", at_most(20), get=queue("queue_shuffle_ms"), digits=1),
    Figure("queue-restore", "100,000 entries: exec \u2192 name owned with the queue restored, ms", "\u2264 300", at_most(300),
           get=queue("restore_ms"), digits=0),
    Figure("queue-getall", "100,000 entries: GetAll a second, part of that with none", "\u2265 0.9",
           lambda v, of, best: v >= 0.9, get=getall_kept, more=True),
    Figure("queue-tracks", "100,000 entries: Get Tracks, ms, p99", "\u2013", None, get=queue("tracks_ms", .99)),
    Figure("queue-metadata", "100,000 entries: GetTracksMetadata of 20, ms, p99", "\u2013", None,
           get=queue("track_metadata_ms", .99)),
    Figure("queue-add", "100,000 entries: AddTrack, ms, p99", "\u2264 5", at_most(5), get=queue("track_add_ms", .99)),
    Figure("queue-remove", "100,000 entries: RemoveTrack, ms, p99", "\u2264 5", at_most(5), get=queue("track_remove_ms", .99)),
    Figure("queue-pss", "100,000 entries: PSS idle, MiB", "\u2013", None, get=queue("pss_full"), digits=1),
    Figure("signals", "signals a minute of steady play", "0", at_most(0), "signals_per_min", digits=0),
]


def judge(f, res):
    """(values, best peer's name, verdict: True, False, None where it was not measured or has no target)."""
    values = f.values(res)
    peers = {n: v for n, v in values.items() if n != "martlet" and n not in LIMITS}
    best = (max if f.more else min)(peers, key=peers.get) if peers else None
    verdict = None
    if f.test and "martlet" in values:
        verdict = f.test(values["martlet"], values.get, peers.get(best))
    return values, best, verdict


def number(v, digits):
    return "\u2013" if v is None else f"{v:,.{digits}f}"


def ratio(a, b):
    return "\u2013" if a is None or not b else f"{a / b:.2f}"


def write(res):
    """The whole document."""
    names = [n for n in res["players"] if n not in LIMITS]
    m = res["machine"]
    with open(os.path.join(HERE, "reasons.json")) as h:
        reasons = json.load(h)
    L = ["<!-- SPDX-License-Identifier: Apache-2.0 -->", "# Benchmarks", "",
         "Written by `make bench` from one run in which Martlet, other players and the bare parts took turns on the same",
         "files, each on a bus, a PulseAudio null sink and a home of its own. A figure holds on no other machine and hour;",
         "what counts is the ratio to the best peer and to the limit beside it.", ""]
    if res["missing"] or set(res["only"]) != {"main", "gap", "queue", "storm"}:
        L += ["**This run does not count**: " + "; ".join(
            [f"{n} {why}" for n, why in res["missing"].items()]
            + ([f"only {', '.join(res['only'])} was measured"] if set(res["only"]) != {"main", "gap", "queue", "storm"} else []))
            + ".", ""]
    loads = [r["load"] for d in res["players"].values() for r in d["reps"] if "load" in r]
    L += ["## What was measured, and on what", "", "| | |", "|---|---|"]
    L += [f"| {k} | {v} |" for k, v in m.items()]
    L += [f"| date | {res['date']} |",
          f"| repetitions | {res['reps']}, interleaved; {res['window_s']:g} s of play for each CPU figure |"]
    L += [f"| measured again, alone | {x} |" for x in res.get("again", [])]
    if loads:
        L.append(f"| load average | {min(loads):.1f} to {max(loads):.1f}" +
                 (": others used the machine; read the ratios |" if max(loads) > 2 * m["cores"] else " |"))
    L += ["", "| compared | version | how |", "|---|---|---|"]
    L += [f"| {n} | {d['version']} | {d['notes']} |" for n, d in res["players"].items()]
    L += ["", "gst-launch and echo are limits: what playbin and the bus themselves cost. PSS and CPU are of the player's",
          "processes alone. Medians of the repetitions; latencies are of all samples pooled, seen by a client on the bus.",
          "GetAll is asked by a client in C.", "", "## Figures", "",
          "| figure | target | martlet | " + " | ".join(n for n in names if n != "martlet")
          + " | limit | \u00f7 best peer | \u00f7 limit | |", "|---|---" + "|---" * (len(names) + 4) + "|"]
    missed, met, open_ = [], 0, []
    for f in FIGURES:
        values, best, verdict = judge(f, res)
        word = {True: "met", False: "**missed**", None: ""}[verdict]
        met += verdict is True
        if verdict is False:
            missed.append(f)
        elif verdict is None and f.test:
            open_.append(f.title)
        cells = [number(values.get(n), f.digits) for n in names if n != "martlet"]
        mine = values.get("martlet")
        L.append(f"| {f.title} | {f.target} | {number(mine, f.digits)} | " + " | ".join(cells)
                 + f" | {number(values.get(f.limit), f.digits)} | {ratio(mine, values.get(best))} | "
                 f"{ratio(mine, values.get(f.limit))} | {word} |")
    L += ["", f"{met} targets met, {len(missed)} missed" + (f", {len(open_)} not measured" if open_ else "") + ".", ""]
    if missed:
        L += ["## Missed, and why", ""]
        L += [f"- **{f.title}** (`{f.ident}`): {reasons.get(f.ident, 'not yet explained.')}" for f in missed] + [""]
    L += edges(res, names) + faults(res, names) + samples(res)
    return "\n".join(L).rstrip() + "\n"


def edges(res, names):
    L = []
    for kind in ("flac", "mp3", "opus", "ogg", "m4a", "wav"):
        for n in names:
            g = res["players"][n].get("gap_" + kind)
            if g and "gaps" in g:
                slips = [x for x in g["slips_within_tracks"] if x]
                L.append(f"| {n} | {kind} | {' '.join('?' if x is None else str(x) for x in g['gaps'])} | "
                         f"{g['bit_exact_windows']} of {g['windows']} | {len(slips) or 'none'} |")
    if not L:
        return []
    return ["## Edges between tracks", "", "Samples inserted (+) or lost (-) at each edge, found in a recording of the sink;",
            "\"?\" was not found. A slip within a track is an underrun: the machine's fault as often as the player's.", "",
            "| player | format | edges | windows bit-exact | slips |", "|---|---|---|---|---|", *L, ""]


def faults(res, names):
    L = []
    for n in names:
        d = res["players"][n]
        L += [f"- {n}: {e}" for e in d.get("errors", [])]
        s = d.get("storm")
        if s and not (s.get("survives") and s.get("plays_after")):
            L.append(f"- {n}: after the storm: survives {s.get('survives')}, plays {s.get('plays_after')}")
        lost = d.get("summary", {})
        if lost.get("sp_lost") or lost.get("next_lost"):
            L.append(f"- {n}: no signal after SetPosition {lost.get('sp_lost')} times, after Next {lost.get('next_lost')}")
        if lost and not lost.get("answers_at_once"):
            L.append(f"- {n}: owned its name before it answered")
    return ["## What went wrong", "", *L, ""] if L else []


def samples(res):
    dot = " \u00b7 "
    L = ["## Every sample", "", "A row is a figure, a column a repetition; latencies as p50 / p99 of their number.", "",
         "| player | figure | samples |", "|---|---|---|"]
    for n, d in res["players"].items():
        for k in (*KEYS, *SAMPLES):
            v = [r[k] for r in d["reps"] if r.get(k) is not None]
            if k in SAMPLES:
                cells = [f"{pct(x, .5):.3f} / {pct(x, .99):.2f} ({len(x)})" for x in v if x]
            else:
                cells = [f"{x:.3f}" for x in v]
            if cells:
                L.append(f"| {n} | {k} | {dot.join(cells)} |")
    return L


if __name__ == "__main__":
    with open(sys.argv[1]) as results:
        sys.stdout.write(write(json.load(results)))
